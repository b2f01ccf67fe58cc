package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/internal/testnats"
)

// TestEarlyRefusals: what cannot be right is refused before anything is begun, in one line.
func TestEarlyRefusals(t *testing.T) {
	conf := writeFile(t, "engine.yaml", goodConfig)
	taken := writeFile(t, "file", "")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"demo", "--for", "-5s"}, "--for is -5s; want a time above 0, such as 30s, or 0 for no end"},
		{[]string{"run", "-c", conf, "--for", "-1ns"}, "--for is -1ns"},
		{[]string{"record", "--subject", "a", "-o", t.TempDir(), "--for", "-1s"}, "--for is -1s"},
		{[]string{"run", "-c", conf, "--status", "-1s"}, "--status is -1s"},
		{[]string{"demo", "--batch", "0"}, "--batch is 0; want 1 to 4096"},
		{[]string{"demo", "--lanes", "0"}, "--lanes is 0; want 1 to 64"},
		{[]string{"run", "-c", conf, "--hgrm", taken + "/hgrm"}, "--hgrm: mkdir " + taken},
		{[]string{"play", taken, "--codec", "json", "--subject", "a", "--wait", "-1s"}, "--wait is -1s"},
	} {
		var c commandLine
		code := c.run(t.Context(), test.args...)
		if text := c.err.String(); code != exitUsage || !strings.HasPrefix(text, "sigengine: "+test.want) || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: exit %d, %q", test.args, code, text)
		}
	}
}

// TestDemoOverload: a market that is more than any machine can do is warned of, and every tick of it accounted for: decoded or
// lost on the bus, and what was decoded sequenced or dropped.
func TestDemoOverload(t *testing.T) {
	var c commandLine
	if code := c.run(t.Context(), "demo", "--for", "1s", "--json", "--rate", "20000000", "--codec", "binary", "--ticks-per-message", "8"); code != exitOK {
		t.Fatalf("exit %d\n%s", code, c.err.String())
	}
	var s struct {
		Ticks, Decoded, Dropped, Undecoded, Gaps uint64
		Market                                   struct{ Ticks, Lost uint64 }
	}
	if err := json.Unmarshal([]byte(c.out.String()), &s); err != nil {
		t.Fatal(err)
	}
	if s.Market.Ticks == 0 || s.Market.Ticks != s.Decoded+s.Market.Lost {
		t.Errorf("sent and received: %+v", s)
	}
	// Gap ticks of the engine's own making are among its ticks.
	if taken := s.Ticks + s.Dropped - s.Undecoded; taken < s.Decoded || taken > s.Decoded+s.Gaps {
		t.Errorf("decoded and taken: %d, %+v", taken, s)
	}
	if strings.Count(c.err.String(), "the market was more than this machine can do") != 1 {
		t.Error(c.err.String())
	}
}

// TestJournalsOfTwoRuns: diff takes the directory given to --journal, as verify and replay do.
func TestJournalsOfTwoRuns(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	first := readSummary(t, ok(t, "demo", "--for", "500ms", "--json", "--journal", a))
	second := readSummary(t, ok(t, "demo", "--for", "500ms", "--json", "--journal", b))
	if text := ok(t, "diff", a, first.Journal); !strings.HasPrefix(text, "same: ") {
		t.Errorf("diff said %q", text)
	}
	var c commandLine
	if code := c.run(t.Context(), "diff", a, b); code != exitDifference {
		t.Errorf("exit %d, %s%s", code, c.out.String(), c.err.String())
	}
	if err := os.Rename(second.Journal, filepath.Join(a, filepath.Base(second.Journal)+"-2")); err != nil {
		t.Fatal(err)
	}
	var two commandLine
	if code := two.run(t.Context(), "diff", a, b); code != exitUsage || !strings.Contains(two.err.String(), "holds 2 runs; name one") {
		t.Errorf("exit %d, %s", code, two.err.String())
	}
}

// TestVerifyWhat: of a recording there is nothing to verify, and a run that is still going on is no run that ended badly.
func TestVerifyWhat(t *testing.T) {
	server := startServer(t)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var recorder commandLine
	done := make(chan int, 1)
	go func() {
		done <- recorder.run(ctx, "record", "--subject", "md.>", "-o", dir, "--server", server.URL(), "--status", "50ms")
	}()
	recorder.err.waitFor(t, "msg=recording")
	capture := writeFile(t, "capture.jsonl", `1 {"type":"quote","venue":"x","symbol":"A","ts":1,"bid":99,"bid_size":3,"ask":100,"ask_size":1}`+"\n")
	ok(t, "play", capture, "--codec", "json", "--subject", "md.a", "--server", server.URL())
	recorder.err.waitFor(t, " ticks=1 ")
	stop()
	if code := <-done; code != exitOK {
		t.Fatalf("record: exit %d\n%s", code, recorder.err.String())
	}
	var c commandLine
	if code := c.run(t.Context(), "verify", dir); code != exitUsage || !strings.Contains(c.err.String(), "nothing to verify; sigengine replay "+dir) {
		t.Errorf("exit %d, %s", code, c.err.String())
	}

	running := t.TempDir()
	ctx, stop = context.WithCancel(t.Context())
	var demo commandLine
	go func() { done <- demo.run(ctx, "demo", "--json", "--journal", running) }()
	demo.err.waitFor(t, "msg=demo")
	var text string
	for deadline := time.Now().Add(20 * time.Second); text == "" || strings.HasPrefix(text, "0 ticks"); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %q", text)
		}
		var v commandLine
		if code := v.run(t.Context(), "verify", running); code == exitOK {
			text = v.out.String()
		}
	}
	if !strings.Contains(text, "the journal is in use: the run is still going on") || strings.Contains(text, "good order") {
		t.Error(text)
	}
	stop()
	<-done
	if text := ok(t, "verify", running, "--json"); !strings.Contains(text, `"in_use":false`) {
		t.Error(text)
	}
}

// TestRecordTells: record says when nothing can be read, and when the server goes.
func TestRecordTells(t *testing.T) {
	server := startServer(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var c commandLine
	done := make(chan int, 1)
	go func() {
		done <- c.run(ctx, "record", "--subject", "md.>", "-o", t.TempDir(), "--codec", "binance-spot", "--server", server.URL())
	}()
	c.err.waitFor(t, "msg=recording")
	nc, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for range 3 {
		if err := nc.Publish("md.a", []byte("not json")); err != nil {
			t.Fatal(err)
		}
	}
	c.err.waitFor(t, `msg="no message could be decoded so far" subject=md.> messages=3 reason=malformed`)
	server.Close()
	c.err.waitFor(t, "market data: the server was lost; trying again")
	testnats.Restart(t, server.Port())
	c.err.waitFor(t, "market data: connected again")
	stop()
	if code := <-done; code != exitOK {
		t.Errorf("exit %d", code)
	}
	for _, once := range []string{"no message could be decoded", "the server was lost", "connected again"} {
		if n := strings.Count(c.err.String(), once); n != 1 {
			t.Errorf("%q %d times in %s", once, n, c.err.String())
		}
	}
}

// TestPlain: prefixes of packages are left out, and nothing else.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"live: journal directory: mkdir x: denied":      "journal directory: mkdir x: denied",
		"replay: journal: damaged; engine: odd":         "damaged; odd",
		"executor gpu: no driver":                       "executor gpu: no driver",
		"line 3: sim: rate: too high":                   "line 3: rate: too high",
		"nats: no servers available for connection":     "nats: no servers available for connection",
		"natsconn: connect: natsconn: bad: natsfeed: x": "connect: bad: x",
	} {
		if got := plain(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
