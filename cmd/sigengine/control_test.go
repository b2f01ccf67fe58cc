package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/internal/control"
)

// runningEngine runs the engine until the test ends, and returns its server and journal.
func runningEngine(t *testing.T, extra string) (url, file string) {
	t.Helper()
	server := startServer(t)
	file = writeFile(t, "engine.yaml", "version: 1\npartition: desk\nfeeds: [{name: a, subject: md.>, codec: json}]\n"+
		"publish: {instance: box}\nsignals: [{name: q, value: mid, when: value > 0, exit: value > 1000, side: 1}]\n"+extra)
	c := &commandLine{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() {
		done <- c.run(ctx, "run", "-c", file, "--server", server.URL(), "--journal", t.TempDir(), "--mode", "fused", "--executor", "cpu")
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != exitOK {
			t.Errorf("run ended with %d: %s", code, c.err.String())
		}
	})
	c.err.waitFor(t, "msg=running")
	return server.URL(), file
}

// TestControl goes the way of an operator: look, stop, look, resume, tighten, loosen.
func TestControl(t *testing.T) {
	url, file := runningEngine(t, "")
	steps := []struct {
		args string
		code int
		want []string // in the output
	}{
		{"status -c FILE", 0, []string{"active  partition desk, instance box\n", "executor     cpu, 1 lanes, fused", "in force     nothing", "market data true, signals true"}},
		{"kill signal:q --partition desk --operator ann --reason odd", 0, []string{"box  kill signal:q: done\n", "now active; in force: kill signal:q\n"}},
		{"kill signal:none -c FILE --operator ann --reason odd", 1, []string{"NOT DONE: there is none of that name here: signal \"none\""}},
		{"kill --everywhere --operator ann --reason odd", 0, []string{"kill all: done", "now halted; in force: kill all, kill signal:q"}},
		{"status -c FILE", 0, []string{"halted  partition desk", "in force     kill all, kill signal:q"}},
		{"resume all -c FILE --operator bob --reason fine", 0, []string{"resume all: done", "now active; in force: kill signal:q"}},
		{"resume signal:q -c FILE --operator bob --reason fine", 0, []string{"in force: nothing"}},
		{"limits -c FILE", 0, []string{"spread       0.05         -            0.05         of the middle", "value_max    off "}},
		{"limits --set spread=1pct -c FILE --operator ann --reason thin", 0, []string{"limits spread=0.01: done", "spread tightened to 0.01"}},
		{"limits --set spread=off -c FILE --operator ann --reason thick", 0, []string{"waits for confirmation", "you or another operator confirms within 1m"}},
		{"limits -c FILE", 0, []string{"spread       0.05         0.01         0.01"}},
		{"limits --set spread=off --confirm -c FILE --operator bob --reason thick", 0, []string{"limits spread=0: done", "in force: nothing"}},
		{"limits --set spread=off --confirm -c FILE --operator bob --reason thick", 0, []string{"done"}}, // it is so already
		{"limits --set position=5 -c FILE --operator bob --reason r", 1, []string{"position is off in the configuration"}},
	}
	for _, step := range steps {
		var c commandLine
		args := strings.Fields("control " + strings.ReplaceAll(step.args, "FILE", file) + " --server " + url)
		if code := c.run(t.Context(), args...); code != step.code {
			t.Errorf("%s: exit %d: %s", step.args, code, c.err.String())
		}
		for _, want := range step.want {
			if !strings.Contains(c.out.String(), want) {
				t.Errorf("%s: no %q in\n%s", step.args, want, c.out.String())
			}
		}
	}
	var wrong commandLine
	if code := wrong.run(t.Context(), "control", "status", "--server", url); code != exitRuntime || !strings.Contains(wrong.err.String(), "engines answer for --partition desk;") {
		t.Errorf("another partition: exit %d, %q", code, wrong.err.String())
	}
	var s control.Status
	if err := json.Unmarshal([]byte(ok(t, "control", "status", "--partition", "desk", "--server", url, "--json")), &s); err != nil || s.Instance != "box" || s.Partition != "desk" {
		t.Errorf("%+v: %v", s, err)
	}
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	d, err := nc.Request("ctl.v1.desk.explain", []byte(`{"signal":"q"}`), controlWait)
	if err != nil || !strings.Contains(string(d.Data), "mid") || strings.Contains(string(d.Data), `"error"`) {
		t.Errorf("%v: %s", err, d.Data)
	}
}

// TestControlUsage: what cannot be meant is told, with a way out; nobody there is a failure of its own.
func TestControlUsage(t *testing.T) {
	url := startServer(t).URL()
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"status", 3, "nobody listens there; does an engine of this partition run, and may this login publish there?"},
		{"kill", 2, "--operator NAME --reason TEXT"},
		{"kill sgnal:q --operator a --reason b", 2, `"sgnal:q" is no scope: want all, signal:NAME or instrument:venue.symbol`},
		{"kill signal:q --everywhere --operator a --reason b", 2, "--everywhere kills all signals"},
		{"kill all all --operator a --reason b", 2, "takes one argument, the scope, got 2"},
		{"resume --operator a --reason b", 2, "takes one argument, the scope, got 0"},
		{"resume all --operator " + strings.Repeat("a", 65) + " --reason b", 2, "an operator's name has 1 to 64 bytes"},
		{"limits --confirm", 2, "--confirm is the second step"},
		{"limits --set spread --operator a --reason b", 2, "want NAME=VALUE with a name of stale, value_max, spread"},
		{"limits --set spread=-1 --operator a --reason b", 2, "the value is no number above 0"},
		{"limits --set spread=1", 2, "--operator NAME --reason TEXT"},
		{"status extra", 2, "takes no arguments"},
	} {
		var c commandLine
		if code := c.run(t.Context(), strings.Fields("control "+test.args+" --server "+url)...); code != test.code || !strings.Contains(c.err.String(), test.want) {
			t.Errorf("%s: exit %d, want %d; %q, want %q", test.args, code, test.code, c.err.String(), test.want)
		}
	}
	off := writeFile(t, "off.yaml", "version: 1\ncontrol: {subject: off}\n")
	var c commandLine
	if code := c.run(t.Context(), "control", "status", "-c", off); code != 2 || !strings.Contains(c.err.String(), "nobody can be asked") {
		t.Errorf("exit %d, %q", code, c.err.String())
	}
	for _, name := range []string{"", "status", "kill", "resume", "limits"} {
		if text := ok(t, strings.Fields(fmt.Sprintf("control %s --help", name))...); !strings.Contains(text, "Examples:") {
			t.Errorf("%q: %s", name, text)
		}
	}
}
