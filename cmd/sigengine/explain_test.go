package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/explain"
	"github.com/sigengine/sigengine/signal"
)

// TestExplainJournal asks a demo's journal why its signals were decided.
func TestExplainJournal(t *testing.T) {
	dir := t.TempDir()
	demo := readSummary(t, ok(t, "demo", "--for", "1s", "--json", "--journal", dir, "--rate", "10000"))
	out := filepath.Join(dir, "out.jsonl")
	ok(t, "replay", demo.Journal, "-o", out)
	text, err := os.ReadFile(out)
	if err != nil || len(text) == 0 {
		t.Fatalf("no signals: %v", err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(text)), "\n")
	for _, line := range []string{lines[0], lines[len(lines)/2], lines[len(lines)-1]} {
		var b struct{ Seq, Signal, Action string }
		if err := json.Unmarshal([]byte(line), &b); err != nil {
			t.Fatal(err)
		}
		if b.Action == signal.ActionWithdraw.String() {
			continue
		}
		text := ok(t, "explain", dir, "--at", b.Seq, b.Signal)
		for _, want := range []string{"tick " + b.Seq + ": ", "signal " + b.Signal + "\n  Decided: " + b.Action, strings.TrimSpace(line), "    throttle  "} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		var answer explain.Answer
		if err := json.Unmarshal([]byte(ok(t, "explain", dir, "--at", b.Seq, b.Signal, "--json")), &answer); err != nil ||
			len(answer.Evaluations) == 0 || string(answer.Evaluations[0].Signals[0].Decided) != strings.TrimSpace(line) {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	explainFailures(t, dir)
}

func explainFailures(t *testing.T, dir string) {
	conf := writeFile(t, "engine.yaml", "version: 1\nfeeds: [{name: a, subject: md.a, codec: json}]\nsignals: [{name: wide, value: spread, when: value > 2, for: \"*\"}]\n")
	bare := writeFile(t, "bare.yaml", "version: 1\n")
	for _, test := range []struct {
		args []string
		line string
	}{
		{nil, "explain needs a configuration (-c FILE) or a journal and a tick (JOURNAL --at SEQ); sigengine explain --help shows examples"},
		{[]string{dir}, "say which tick of the journal with --at SEQ, or give a configuration with -c FILE"},
		{[]string{"--at", "3"}, "--at is a tick of a journal; name the journal's directory"},
		{[]string{dir, "--at", "x"}, `invalid argument "x" for "--at" flag`},
		{[]string{dir, "--at", "99999999"}, "tick 99999999 is not in the journal, which holds ticks 1 to "},
		{[]string{dir, "--at", "1", "flwo"}, `there is no signal "flwo"; did you mean flow?`},
		{[]string{dir, "--at", "1", "--instrument", "sim.NONE"}, `there is no instrument "sim.NONE"; `},
		{[]string{dir, "--at", "1", "--listing"}, "--listing is for a configuration (explain -c FILE); it does not go with --at"},
		{[]string{"/no/such", "--at", "1"}, "name the directory of a journal"},
		{[]string{"-c", conf, "wied"}, `there is no signal "wied"; did you mean wide?`},
		{[]string{"-c", conf, "--instrument", "a.b"}, "--instrument is for a tick of a journal; it goes with --at"},
		{[]string{"-c", bare}, "bare.yaml has no signals"},
	} {
		var c commandLine
		code := c.run(t.Context(), append([]string{"explain"}, test.args...)...)
		if text := c.err.String(); code != exitUsage || !strings.Contains(text, test.line) || strings.Count(text, "\n") != 1 || c.out.String() != "" {
			t.Errorf("%q: code %d, %q, want %q", test.args, code, text, test.line)
		}
	}
}

func TestExplainConfig(t *testing.T) {
	conf := writeFile(t, "engine.yaml", "version: 1\nfeeds: [{name: a, subject: md.a, codec: json}]\nsignals: [{name: wide, value: spread, when: value > 2, for: \"*\"}]\n")
	text := ok(t, "explain", "-c", conf, "wide", "--listing")
	for _, want := range []string{"signal wide, for *.*\n  evaluated   On every quote of its own instrument", "#0 spread", "\nlisting\nprogram 1 "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var report explain.Report
	if err := json.Unmarshal([]byte(ok(t, "explain", "-c", conf, "--json")), &report); err != nil || len(report.Signals) != 1 || report.Signals[0].Name != "wide" {
		t.Errorf("%+v, %v", report, err)
	}
	var c commandLine
	broken := writeFile(t, "broken.yaml", "version: 1\nsignals: [{name: wide, value: spraed, when: value > 2, for: \"*\"}]\n")
	if code := c.run(t.Context(), "explain", "-c", broken); code != exitUsage || !strings.Contains(c.err.String(), "did you mean spread?") {
		t.Errorf("code %d, %s", code, c.err.String())
	}
}
