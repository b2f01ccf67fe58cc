package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
)

var update = flag.Bool("update", false, "rewrite expected results")

// asMain makes the test binary behave as sigengine itself.
const asMain = "TEST_AS_SIGENGINE"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// buffer is a writer that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// waitFor waits until the text has been written.
func (b *buffer) waitFor(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(b.String(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %q in %q", text, b.String())
		}
	}
}

// commandLine is one run inside the test process.
type commandLine struct {
	env      map[string]string
	driver   func() (*gpu.Driver, error) // nil: there is none
	in       string
	out, err buffer
}

func (c *commandLine) run(ctx context.Context, args ...string) int {
	a := &app{in: strings.NewReader(c.in), out: &c.out, err: &c.err, lookupEnv: func(name string) (string, bool) {
		text, ok := c.env[name]
		return text, ok
	}, openDriver: c.driver}
	if a.openDriver == nil {
		a.openDriver = func() (*gpu.Driver, error) { return nil, fmt.Errorf("%w: not in this test", gpu.ErrNoDriver) }
	}
	return a.execute(ctx, args)
}

func startServer(t *testing.T) *natsserver.Server {
	t.Helper()
	return testnats.Start(t, natsserver.Config{})
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", path, got, want)
	}
}

func TestHelp(t *testing.T) {
	commands := map[string][]string{"sigengine": {}}
	for _, c := range newRoot(&app{}).Commands() {
		commands[c.Name()] = []string{c.Name()}
		if c.Example == "" || c.Short == "" || c.Args == nil {
			t.Errorf("%s has no example, no summary or takes any arguments", c.Name())
		}
	}
	for name, args := range commands {
		var c commandLine
		if code := c.run(t.Context(), append(args, "--help")...); code != exitOK || c.err.String() != "" {
			t.Errorf("%s: code %d, stderr %q", name, code, c.err.String())
		}
		golden(t, "help/"+name+".txt", c.out.String())
	}
	var bare commandLine
	if code := bare.run(t.Context()); code != exitOK || !strings.Contains(bare.out.String(), "Exit codes:") {
		t.Errorf("code %d, %s", code, bare.out.String())
	}
}

// TestFailures: every way to fail prints one line that says what to do, nothing on stdout, and has its exit code.
func TestFailures(t *testing.T) {
	capture := writeFile(t, "capture.jsonl", "1 {}\n")
	userOnly := writeFile(t, "user.yaml", "version: 1\nnats: {user: bob, password_env: BOB_PASSWORD}\n")
	refused := []string{"--server", "nats://127.0.0.1:1"}
	for _, test := range []struct {
		args []string
		env  map[string]string
		code int
		line string
	}{
		{[]string{"fly"}, nil, 2, `unknown command "fly"; sigengine --help lists them`},
		{[]string{"tail", "--bogus"}, nil, 2, "unknown flag: --bogus; sigengine tail --help lists the flags"},
		{[]string{"tail", "--count", "x"}, nil, 2, `invalid argument "x" for "--count" flag`},
		{[]string{"tail", "extra"}, nil, 2, `sigengine tail takes no arguments, got "extra"; sigengine tail --help shows examples`},
		{[]string{"play"}, nil, 2, "sigengine play takes one argument, FILE, got 0; sigengine play --help shows examples"},
		{[]string{"version", "--log-level", "loud"}, nil, 2, `--log-level is "loud"; want debug, info, warn or error`},
		{[]string{"version", "--log-format", "xml"}, nil, 2, `--log-format is "xml"; want text or json`},
		{[]string{"tail"}, map[string]string{"SIGENGINE_COUNT": "many"}, 2, "environment variable SIGENGINE_COUNT: invalid argument"},
		{[]string{"check", "-c", "/no/such.yaml"}, nil, 2, "/no/such.yaml: cannot be read: no such file or directory; check the name and its permissions"},
		{[]string{"check", "--server", "http://x"}, nil, 2, "begin with nats://"},
		{[]string{"check", "-c", userOnly}, nil, 2, "the environment variable BOB_PASSWORD, which nats.password_env names, is not set; set it to the password of bob"},
		{append([]string{"tail"}, refused...), nil, 3, "start a server there (nats-server), or name another with --server or NATS_URL"},
		{[]string{"tail"}, map[string]string{"NATS_URL": "nats://127.0.0.1:1"}, 3, "nats://127.0.0.1:1"},
		{[]string{"tail", "--creds", "/no/creds"}, nil, 2, "/no/creds"},
		{[]string{"play", capture}, nil, 2, "--codec is missing; one of json, binance-spot, binance-usdm"},
		{[]string{"play", capture, "--codec", "binary", "--subject", "a"}, nil, 2, "a capture has text messages"},
		{[]string{"play", capture, "--codec", "morse", "--subject", "a"}, nil, 2, `--codec: unknown codec "morse"; there are:`},
		{[]string{"play", capture, "--codec", "json"}, nil, 2, "--subject is missing; name the subject to publish on"},
		{[]string{"play", capture, "--codec", "json", "--subject", "md.>"}, nil, 2, `--subject "md.>" cannot be published on`},
		{[]string{"play", capture, "--codec", "json", "--subject", "a..b"}, nil, 2, `--subject "a..b" cannot be published on`},
		{[]string{"play", capture, "--codec", "json", "--subject", "a", "--speed", "-1"}, nil, 2, `--speed is "-1"; want max or a number`},
		{[]string{"play", "/no/capture", "--codec", "json", "--subject", "a"}, nil, 2, "open /no/capture: no such file or directory; name a capture, or - for standard input"},
		{[]string{"play", "/no/two\nlines", "--codec", "json", "--subject", "a"}, nil, 2, "open /no/two lines: no such file"},
		{[]string{"play", filepath.Dir(capture), "--codec", "json", "--subject", "a"}, nil, 2, "it is a folder"},
		{append([]string{"play", capture, "--codec", "json", "--subject", "a"}, refused...), nil, 3, "start a server there"},
	} {
		c := commandLine{env: test.env}
		code := c.run(t.Context(), test.args...)
		text := c.err.String()
		if code != test.code || !strings.HasPrefix(text, "sigengine: ") || !strings.Contains(text, test.line) ||
			strings.Count(text, "\n") != 1 || c.out.String() != "" {
			t.Errorf("%q: code %d, want %d; want line %q; stderr:\n%sstdout:\n%s", test.args, code, test.code, test.line, text, c.out.String())
		}
	}
}

func TestVersion(t *testing.T) {
	var c commandLine
	if code := c.run(t.Context(), "version"); code != exitOK || !strings.HasPrefix(c.out.String(), "sigengine ") {
		t.Errorf("code %d, %q", code, c.out.String())
	}
	var j commandLine
	if code := j.run(t.Context(), "version", "--json"); code != exitOK || !strings.HasPrefix(j.out.String(), `{"version":"`) {
		t.Errorf("code %d, %q", code, j.out.String())
	}
}

// TestLogFormat: the environment sets a flag, and the flag wins.
func TestLogFormat(t *testing.T) {
	server := startServer(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, `{"time":`},
		{[]string{"--log-format", "text"}, "time="},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		c := commandLine{env: map[string]string{"SIGENGINE_LOG_FORMAT": "json", "SIGENGINE_SERVER": server.URL(), "NATS_URL": "nats://127.0.0.1:1"}}
		done := make(chan int, 1)
		go func() { done <- c.run(ctx, append([]string{"tail"}, test.args...)...) }()
		c.err.waitFor(t, "listening")
		cancel()
		if code := <-done; code != exitInterrupted {
			t.Errorf("code %d", code)
		}
		if !strings.HasPrefix(c.err.String(), test.want) || strings.Contains(c.err.String(), "sigengine: ") {
			t.Errorf("got %q", c.err.String())
		}
	}
}

// TestSignals runs the real main and interrupts it.
func TestSignals(t *testing.T) {
	server := startServer(t)
	command := exec.CommandContext(t.Context(), os.Args[0], "tail", "--server", server.URL())
	command.Env = append(os.Environ(), asMain+"=1")
	var stderr buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stderr.waitFor(t, "listening")
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	if code := command.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("code %d, %s", code, stderr.String())
	}
}
