package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/testdata"
)

// summary is what demo, run and replay print for programs; the names are the contract.
type summary struct {
	Ticks      uint64            `json:"ticks"`
	Signals    uint64            `json:"signals"`
	Dropped    uint64            `json:"dropped"`
	Rejected   map[string]uint64 `json:"rejected"`
	Executor   string            `json:"executor"`
	GPU        *metrics.GPU      `json:"gpu"`
	Lanes      int               `json:"lanes"`
	OutputHash string            `json:"output_hash"`
	ElapsedS   float64           `json:"elapsed_s"`
	Journal    string            `json:"journal"`
	LatencyNs  map[string]struct {
		P50, P90, P99, P999, Max *int64
	} `json:"latency_ns"`
}

func readSummary(t *testing.T, text string) summary {
	t.Helper()
	var s summary
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	for _, stage := range []string{"decode", "ring", "sequence", "program", "risk", "total"} {
		if l, ok := s.LatencyNs[stage]; !ok || l.P50 == nil || l.P90 == nil || l.P99 == nil || l.P999 == nil || l.Max == nil {
			t.Errorf("latency_ns of %s is not complete: %s", stage, text)
		}
	}
	return s
}

// ok runs a command that must succeed and returns its standard output.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	var c commandLine
	if code := c.run(t.Context(), args...); code != exitOK {
		t.Fatalf("%v: exit %d\n%s", args, code, c.err.String())
	}
	return c.out.String()
}

// TestDemoReplayVerifyDiff goes the way of the README: a demo with a journal, which replays, verifies and compares.
func TestDemoReplayVerifyDiff(t *testing.T) {
	dir := t.TempDir()
	demo := readSummary(t, ok(t, "demo", "--for", "2s", "--json", "--journal", dir, "--rate", "10000"))
	if demo.Ticks < 5000 || demo.Signals == 0 || demo.Executor != "cpu" || demo.Lanes != 1 || demo.ElapsedS < 1 || demo.Rejected["throttle"] == 0 {
		t.Fatalf("unlikely demo: %+v", demo)
	}
	out := filepath.Join(dir, "out.jsonl")
	for _, shape := range [][]string{{"--batch", "1"}, {"--mode", "staged", "--lanes", "3"}, {"-o", out}} {
		again := readSummary(t, ok(t, append([]string{"replay", dir, "--json"}, shape...)...))
		if again.OutputHash != demo.OutputHash || again.Signals != demo.Signals {
			t.Errorf("replay %v: hash %s of %d signals, live %s of %d", shape, again.OutputHash, again.Signals, demo.OutputHash, demo.Signals)
		}
	}
	if text := ok(t, "verify", dir); !strings.Contains(text, "\nsame\n") && !strings.HasSuffix(text, "same\n") {
		t.Errorf("verify said %q", text)
	}
	var v verification
	if err := json.Unmarshal([]byte(ok(t, "verify", demo.Journal, "--json")), &v); err != nil || !v.Same || v.Signals != demo.Signals {
		t.Errorf("verify --json: %+v, %v", v, err)
	}
	if text := ok(t, "diff", demo.Journal, out); !strings.HasPrefix(text, "same: ") {
		t.Errorf("diff said %q", text)
	}
	differs(t, demo.Journal, out)
}

// differs changes one value of an output: diff must find it and exit with 1.
func differs(t *testing.T, journal, out string) {
	t.Helper()
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[2] = strings.Replace(lines[2], `"seq":"`, `"seq":"9`, 1)
	changed := writeFile(t, "changed.jsonl", strings.Join(lines, ""))
	var c commandLine
	if code := c.run(t.Context(), "diff", journal, changed); code != exitDifference || !strings.Contains(c.out.String(), "signal 3:") {
		t.Errorf("exit %d, %q", code, c.out.String())
	}
	var short commandLine
	fewer := writeFile(t, "fewer.jsonl", strings.Join(lines[:2], ""))
	if code := short.run(t.Context(), "diff", out, fewer); code != exitDifference || !strings.Contains(short.out.String(), "nothing") {
		t.Errorf("exit %d, %q", code, short.out.String())
	}
}

// TestRunOnCaptures is the README's way with genuine data: a real server, two captures played, signals, a journal.
func TestRunOnCaptures(t *testing.T) {
	spot := testdata.Shared(t, "captures", "hftbacktest", "binance_spot_btcusdt_20240808.head6000.jsonl")
	server := startServer(t)
	journal := t.TempDir()
	six, err := filepath.Abs(filepath.Join("..", "..", "bench", "programs", "six.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	conf := writeFile(t, "engine.yaml", "version: 1\npartition: trial\nsignals_file: "+six+
		"\nfeeds: [{name: spot, subject: md.spot, codec: binance-spot}]\n")
	ctx, stop := context.WithCancel(t.Context())
	var engine commandLine
	done := make(chan int, 1)
	go func() {
		done <- engine.run(ctx, "run", "-c", conf, "--server", server.URL(), "--journal", journal, "--json", "--status", "100ms", "--hgrm", journal+"/hgrm")
	}()
	engine.err.waitFor(t, "msg=running")
	ok(t, "play", spot, "--codec", "binance-spot", "--subject", "md.spot", "--speed", "max", "--server", server.URL())
	engine.err.waitFor(t, "ticks=5469")
	stop()
	if code := <-done; code != exitOK {
		t.Fatalf("run: exit %d\n%s", code, engine.err.String())
	}
	s := readSummary(t, engine.out.String())
	if s.Ticks != 5469 || s.Dropped != 0 {
		t.Errorf("%d ticks, %d dropped; the capture has 4346 quotes and 1123 trades", s.Ticks, s.Dropped)
	}
	ok(t, "verify", s.Journal)
	if text, err := os.ReadFile(filepath.Join(journal, "hgrm", "total.hgrm")); err != nil || !strings.Contains(string(text), "#[Mean") {
		t.Errorf("total.hgrm: %v, %.80q", err, text)
	}
}

// TestRecordThenReplay: a feed recorded without signals replays under any configuration.
func TestRecordThenReplay(t *testing.T) {
	spot := testdata.Shared(t, "captures", "hftbacktest", "binance_spot_btcusdt_20240808.head6000.jsonl")
	server := startServer(t)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var recorder commandLine
	done := make(chan int, 1)
	go func() {
		done <- recorder.run(ctx, "record", "--subject", "md.>", "--codec", "binance-spot", "-o", dir, "--server", server.URL(), "--status", "100ms")
	}()
	recorder.err.waitFor(t, "msg=recording")
	ok(t, "play", spot, "--codec", "binance-spot", "--subject", "md.spot", "--speed", "max", "--server", server.URL())
	recorder.err.waitFor(t, "ticks=5469")
	stop()
	if code := <-done; code != exitOK {
		t.Fatalf("record: exit %d\n%s", code, recorder.err.String())
	}
	var none commandLine
	if code := none.run(t.Context(), "replay", dir); code != exitUsage || !strings.Contains(none.err.String(), "-c FILE") {
		t.Errorf("replay without a configuration: exit %d, %s", code, none.err.String())
	}
	conf := writeFile(t, "other.yaml", "version: 1\nsignals: [{name: up, value: diff(mid), when: value > 0}]\n")
	s := readSummary(t, ok(t, "replay", dir, "-c", conf, "--json"))
	if s.Signals == 0 || s.Ticks < 5469 {
		t.Errorf("replay: %d signals of %d ticks", s.Signals, s.Ticks)
	}
}

func TestEngineCommandFailures(t *testing.T) {
	empty := t.TempDir()
	noSignals := writeFile(t, "none.yaml", "version: 1\nfeeds: [{name: a, subject: md.>, codec: json}]\n")
	noFeeds := writeFile(t, "nofeeds.yaml", "version: 1\nsignals: [{name: up, value: mid, when: value > 0}]\n")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run"}, exitUsage, "-c FILE"},
		{[]string{"run", "-c", "/nonexistent.yaml"}, exitUsage, "nonexistent"},
		{[]string{"run", "-c", noSignals}, exitUsage, "signals"},
		{[]string{"run", "-c", noFeeds}, exitUsage, "feeds"},
		{[]string{"demo", "--executor", "gpu"}, exitGPU, "executor gpu: "},
		{[]string{"demo", "--dispatch", "graph"}, exitUsage, "auto, resident or stream"},
		{[]string{"demo", "--follow=maybe"}, exitUsage, "auto, on or off"},
		{[]string{"demo", "--devices", "0,0"}, exitUsage, "twice"},
		{[]string{"verify", empty, "--executor", "tpu"}, exitUsage, "auto, cpu or gpu"},
		{[]string{"demo", "--executor", "tpu"}, exitUsage, "auto, cpu or gpu"},
		{[]string{"demo", "--codec", "xml"}, exitUsage, "json or binary"},
		{[]string{"demo", "--symbols", "0"}, exitUsage, "symbols"},
		{[]string{"demo", "--lanes", "65"}, exitUsage, "1 to 64"},
		{[]string{"demo", "--batch", "-1"}, exitUsage, "1 to 4096"},
		{[]string{"demo", "--mode", "odd"}, exitUsage, "staged"},
		{[]string{"record", "-o", empty}, exitUsage, "--subject"},
		{[]string{"record", "--subject", "md.>"}, exitUsage, "-o"},
		{[]string{"record", "--subject", "md.>", "-o", empty, "--codec", "xml"}, exitUsage, "codec"},
		{[]string{"record", "--subject", "md.>", "-o", empty, "--server", "nats://127.0.0.1:1"}, exitRuntime, "server"},
		{[]string{"replay"}, exitUsage, "JOURNAL"},
		{[]string{"replay", empty}, exitUsage, "no journal"},
		{[]string{"replay", noSignals}, exitUsage, "directory"},
		{[]string{"verify", "/nonexistent"}, exitUsage, "nonexistent"},
		{[]string{"diff", "a"}, exitUsage, "two arguments"},
		{[]string{"diff", "/nonexistent", "/nonexistent"}, exitRuntime, "nonexistent"},
		{[]string{"bench"}, exitUsage, "ring"},
		{[]string{"bench", "everything"}, exitUsage, "everything"},
	} {
		var c commandLine
		if code := c.run(t.Context(), test.args...); code != test.code || !strings.Contains(c.err.String(), test.want) {
			t.Errorf("%v: exit %d, want %d; %q lacks %q", test.args, code, test.code, c.err.String(), test.want)
		}
		if lines := strings.Count(strings.TrimSpace(lastPart(c.err.String())), "\n"); lines > 0 {
			t.Errorf("%v: more than a line: %q", test.args, c.err.String())
		}
	}
}

// lastPart leaves out log lines.
func lastPart(text string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "time=") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
