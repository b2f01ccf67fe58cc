package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sigengine/sigengine/replay/snapshot"
)

// TestSnapshotFollows: snapshots taken behind a run that is going on; afterwards the journal replays from any of them.
func TestSnapshotFollows(t *testing.T) {
	dir, states := filepath.Join(t.TempDir(), "journal"), filepath.Join(t.TempDir(), "states")
	done := make(chan summary, 1)
	go func() {
		done <- readSummary(t, ok(t, "demo", "--for", "2s", "--json", "--journal", dir, "--rate", "2000"))
	}()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if runs, _ := os.ReadDir(dir); len(runs) == 1 && hasSegments(filepath.Join(dir, runs[0].Name())) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no journal")
		}
	}
	var c commandLine
	if code := c.run(t.Context(), "snapshot", dir, "--every", "150ms", "--keep", "2", "-o", states); code != exitOK {
		t.Fatalf("exit %d, %s", code, c.err.String())
	}
	demo := <-done
	files, err := filepath.Glob(filepath.Join(states, "*"+snapshot.Extension))
	if err != nil || len(files) != 2 || strings.Count(c.err.String(), "msg=snapshot") < 3 || !strings.Contains(c.err.String(), "run_ended=true") {
		t.Fatalf("%v, %v\n%s", files, err, c.err.String())
	}
	for _, file := range files {
		if again := readSummary(t, ok(t, "replay", dir, "--json", "--from", file)); again.OutputHash != demo.OutputHash || again.Signals != demo.Signals {
			t.Errorf("from %s: %+v, want %+v", file, again, demo)
		}
	}
	for _, args := range [][]string{{"--keep", "2"}, {"--every", "1s", "--at", "5"}, {"--every", "-1s"}} {
		var c commandLine
		if code := c.run(t.Context(), append([]string{"snapshot", dir, "-o", states}, args...)...); code != exitUsage {
			t.Errorf("%v: exit %d", args, code)
		}
	}
}
