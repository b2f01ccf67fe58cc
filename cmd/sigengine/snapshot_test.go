package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestSnapshotReplayVerify goes the way of docs/snapshot.md: a run, a snapshot of its middle, one from that; replay and verify
// from there give what they give from the beginning.
func TestSnapshotReplayVerify(t *testing.T) {
	dir, states := t.TempDir(), filepath.Join(t.TempDir(), "states")
	demo := readSummary(t, ok(t, "demo", "--for", "1s", "--json", "--journal", dir, "--rate", "5000"))
	taken := func(args ...string) (r snapshotReport) {
		t.Helper()
		if err := json.Unmarshal([]byte(ok(t, append([]string{"snapshot", dir, "-o", states, "--json"}, args...)...)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	half := strconv.FormatUint(demo.Ticks/2, 10)
	first := taken("--at", half)
	last := taken("--from", states)
	if first.Sequence != demo.Ticks/2 || first.Ticks != first.Sequence || first.Bytes < 1000 || last.Signals != demo.Signals ||
		last.Sequence <= first.Sequence || last.Ticks != last.Sequence-first.Sequence {
		t.Fatalf("%+v\n%+v\n%+v", demo, first, last)
	}
	for _, from := range []string{first.Path, last.Path, states} {
		again := readSummary(t, ok(t, "replay", dir, "--json", "--from", from, "--lanes", "3", "--mode", "staged"))
		if again.OutputHash != demo.OutputHash || again.Signals != demo.Signals {
			t.Errorf("from %s: %+v, want %+v", from, again, demo)
		}
		if text := ok(t, "verify", dir, "--from", from); !strings.HasSuffix(text, "same\n") || !strings.Contains(text, "began after tick ") {
			t.Errorf("verify from %s said %q", from, text)
		}
	}
	if text := ok(t, "replay", dir, "--from", first.Path); !strings.Contains(text, "\nbegan after tick "+half+", with the state of "+first.Path) ||
		!strings.Contains(text, "those before would have taken about") {
		t.Errorf("replay said %q", text)
	}
	// The newest is damaged: the one before is used, and it is said why.
	b, err := os.ReadFile(last.Path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2]++
	if err := os.WriteFile(last.Path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	var c commandLine
	if code := c.run(t.Context(), "verify", dir, "--from", states, "--json"); code != exitOK ||
		!strings.Contains(c.out.String(), `"from_tick":`+half) || !strings.Contains(c.err.String(), "damaged") {
		t.Errorf("exit %d, %s\n%s", code, c.out.String(), c.err.String())
	}
	for want, args := range map[string][]string{
		"-o DIR":      {"snapshot", dir},
		"damaged":     {"replay", dir, "--from", last.Path},
		"there is no": {"replay", dir, "--from", t.TempDir()},
		"no such":     {"verify", dir, "--from", filepath.Join(dir, "none")},
		"other sig": {"replay", dir, "--from", first.Path, "-c", writeFile(t, "other.yaml",
			"version: 1\npartition: demo\nfeeds: [{name: md, subject: md.>}]\nsignals: [{name: flow, value: mid, when: value > 0}]\n")},
	} {
		var c commandLine
		if code := c.run(t.Context(), args...); code != exitUsage || !strings.Contains(c.err.String(), want) {
			t.Errorf("%v: exit %d, %s; want %q", args, code, c.err.String(), want)
		}
	}
}
