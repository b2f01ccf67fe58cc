package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/config"
)

const goodConfig = `version: 1
feeds: [{name: md, subject: md.>}]
signals: [{name: flow, value: ofi(1s), when: "crosses(value, 0)"}]
`

func TestCheckMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "version: 1\nengine: {lanse: 2}\nsignals:\n  - name: a\n    value: zscore(micropric, 30s)\n    when: >\n      value > 1\n      and valu < 2\n"
	if err := os.WriteFile("engine.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var c commandLine
	if code := c.run(t.Context(), "check", "-c", "engine.yaml"); code != exitUsage || c.out.String() != "" {
		t.Errorf("code %d, stdout %q", code, c.out.String())
	}
	want := `engine.yaml:2:10: unknown key "lanse" in engine
    2 | engine: {lanse: 2}
      |          ^~~~~
  hint: did you mean lanes?

engine.yaml:5:19: unknown name micropric
    5 |     value: zscore(micropric, 30s)
      |                   ^~~~~~~~~
  hint: did you mean microprice?

engine.yaml:8:11: unknown name valu
    8 |       and valu < 2
      |           ^~~~
  hint: did you mean value?
sigengine: 3 mistakes in the configuration; correct them and try again (docs/config.md lists every key)
`
	if got := c.err.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	var j commandLine
	if code := j.run(t.Context(), "check", "-c", "engine.yaml", "--json"); code != exitUsage {
		t.Errorf("code %d", code)
	}
	var report checkReport
	if err := json.Unmarshal([]byte(j.out.String()), &report); err != nil {
		t.Fatal(err)
	}
	if report.Ready || len(report.Mistakes) != 3 || report.Mistakes[1].Line != 5 || report.Mistakes[1].Column != 19 || report.Mistakes[1].Length != 9 {
		t.Errorf("%+v", report)
	}
}

func TestCheckReady(t *testing.T) {
	server := startServer(t)
	journal := filepath.Join(t.TempDir(), "new", "journal")
	file := writeFile(t, "engine.yaml", goodConfig+"nats: {url: \""+server.URL()+"\"}\njournal: {dir: "+journal+"}\n")
	var c commandLine
	if code := c.run(t.Context(), "check", "-c", file); code != exitOK || c.err.String() != "" {
		t.Errorf("code %d, %s", code, c.err.String())
	}
	for _, want := range []string{
		"config     ok    " + file + ": partition main, feeds 1, signals 1, hash ",
		"nats       ok    " + server.URL() + ": connected, round trip ",
		"cores      ok    GOMAXPROCS ",
		"memory     ",
		"gpu        ok    no NVIDIA GPU and no driver here; the CPU runs the program",
		"gpu cost   ok    1.1 KiB of state an instrument, room for 4096; 80 B a tick in, 64 B a row out; lanes 1; 4.5 MiB of a GPU's memory, 1.1 MiB pinned here",
		"journal    ok    " + journal + " (to be made): can be written",
	} {
		if !strings.Contains(c.out.String(), want) {
			t.Errorf("no %q in\n%s", want, c.out.String())
		}
	}
	if _, err := os.Stat(filepath.Dir(journal)); !errors.Is(err, os.ErrNotExist) {
		t.Error("check left something behind")
	}
}

func TestCheckNotReady(t *testing.T) {
	blocked := writeFile(t, "file", "")
	file := writeFile(t, "engine.yaml", goodConfig+"engine: {executor: gpu}\njournal: {dir: "+blocked+"/journal}\n")
	c := commandLine{env: map[string]string{"NATS_URL": "nats://bob:hunter2@127.0.0.1:1"}}
	code := c.run(t.Context(), "check", "-c", file, "--json")
	if code != exitDifference || c.err.String() != "sigengine: not ready: nats, gpu, journal; see what to do above\n" {
		t.Errorf("code %d, %q", code, c.err.String())
	}
	if strings.Contains(c.out.String(), "hunter2") {
		t.Error("a password was printed")
	}
	var report checkReport
	if err := json.Unmarshal([]byte(c.out.String()), &report); err != nil || report.Ready || len(report.Findings) != 7 {
		t.Errorf("%v %+v", err, report)
	}
	for _, f := range report.Findings {
		if f.State == stateFail && f.Hint == "" {
			t.Errorf("nothing to do about %+v", f)
		}
	}
}

func TestCheckJournal(t *testing.T) {
	dir := t.TempDir()
	if f := checkJournal(dir); f.State != stateOK || strings.Contains(f.Text, "to be made") {
		t.Errorf("%+v", f)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if f := checkJournal(""); f.State != stateNote {
		t.Errorf("%+v", f)
	}
}

func TestCheckConfigNotes(t *testing.T) {
	c := config.Default()
	for want, change := range map[string]func(){
		"no feeds":   func() {},
		"no signals": func() { c.Feeds = make([]config.Feed, 1) },
		"gates": func() {
			c.Feeds, c.Signals, c.Risk.Gates = make([]config.Feed, 1), make([]config.Signal, 1), config.Off
		},
	} {
		*c = *config.Default()
		change()
		if f := checkConfig(c, "f"); f.State != stateNote || !strings.Contains(f.Hint, want) {
			t.Errorf("%s: %+v", want, f)
		}
	}
}

func TestMemoryAvailable(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  int64
		from  string
	}{
		{"nothing", nil, 0, ""},
		{"machine", map[string]string{"/proc/meminfo": "MemTotal:  1000 kB\nMemFree: 1 kB\n", "/sys/fs/cgroup/memory.max": "max\n"}, 1000 << 10, "the machine"},
		{"container", map[string]string{"/proc/meminfo": "MemTotal: 1000 kB\n", "/sys/fs/cgroup/memory.max": "4096\n"}, 4096, "the control group"},
		{"parent group", map[string]string{
			"/proc/meminfo": "MemTotal: 1000 kB\n", "/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/b/memory.max": "max", "/sys/fs/cgroup/a/memory.max": "8192\n",
		}, 8192, "the control group"},
		{"version 1", map[string]string{
			"/proc/self/cgroup": "9:cpu:/x\n5:memory:/docker/1\n", "/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "12288\n",
		}, 12288, "the control group"},
	} {
		got, from := memoryAvailable(func(name string) ([]byte, error) {
			if text, ok := test.files[name]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		})
		if got != test.want || from != test.from {
			t.Errorf("%s: got %d by %q", test.name, got, from)
		}
	}
}

func TestCheckMemory(t *testing.T) {
	if f := checkMemory(1<<60, ""); f.State != stateFail && !strings.Contains(f.Text, "unknown") {
		t.Errorf("%+v", f)
	}
	if f := checkMemory(64<<20, ""); f.State != stateOK || !strings.Contains(f.Text, "limit 64.0 MiB by engine.memory_limit") {
		t.Errorf("%+v", f)
	}
	if memoryLimitAuto(1000) != 900 {
		t.Error(memoryLimitAuto(1000))
	}
}

func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 62: "4.0 EiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
