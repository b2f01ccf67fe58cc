package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/risk"
)

// TestWatch: facts begin and end once, each at the reading that shows it.
func TestFactWatch(t *testing.T) {
	const s = int64(time.Second)
	r := config.Default().Risk
	r.Deadman.After, r.JournalLag, r.DiskFree = 10*time.Second, 500*time.Millisecond, 100
	w := factWatch{risk: &r}
	base := readings{nowNs: 100 * s, heardNs: 100 * s, journaled: true, freeBytes: 100, unread: []uint64{0, 3}, sources: []uint16{1, 2}}
	for i, step := range []struct {
		name   string
		change func(*readings)
		want   string
	}{
		{"all is well", func(*readings) {}, ""},
		{"silent for as long as allowed", func(r *readings) { r.nowNs += 10 * s }, ""},
		{"and longer", func(r *readings) { r.nowNs++ }, "deadman=1"},
		{"still", func(r *readings) { r.nowNs += s }, ""},
		{"heard", func(r *readings) { r.heardNs = r.nowNs }, "deadman=0"},
		{"nearly full", func(r *readings) { r.freeBytes = 99 }, "disk=1"},
		{"not known", func(r *readings) { r.freeBytes = -1 }, "disk=0"},
		{"a device, and late", func(r *readings) { r.device, r.late = true, true }, "device=1 latency=1"},
		{"in time", func(r *readings) { r.late = false }, "latency=0"},
		{"replaced", func(r *readings) { r.device = false }, "device=0"},
		{"sequenced", func(r *readings) { r.sequenced = 50 }, ""},
		{"more, none written", func(r *readings) { r.sequenced, r.nowNs = 70, r.nowNs+s/2 }, ""},
		{"too long", func(r *readings) { r.nowNs += s/2 + 1 }, "recorder=1"},
		{"written", func(r *readings) { r.written = 70 }, "recorder=0"},
		{"nine unread", func(r *readings) { r.unread = []uint64{9, 3} }, ""},
		{"and one more", func(r *readings) { r.unread = []uint64{10, 3} }, "decode=1"},
		{"nine more of each", func(r *readings) { r.unread = []uint64{19, 12} }, ""},
		{"a second later they count for nothing", func(r *readings) { r.nowNs += s }, ""},
		{"so nine more are nine", func(r *readings) { r.unread = []uint64{19, 21} }, ""},
		{"many", func(r *readings) { r.unread = []uint64{19, 221} }, "decode=2"},
	} {
		step.change(&base)
		var got []string
		for _, f := range w.look(&base) {
			got = append(got, fmt.Sprintf("%s=%v", f.fact, f.value))
		}
		if text := strings.Join(got, " "); text != step.want {
			t.Errorf("step %d, %s: %q, want %q", i, step.name, text, step.want)
		}
	}
}

// TestLatchesFile: what is written is read; no file is nothing; a broken one is an error.
func TestLatchesFile(t *testing.T) {
	dir := t.TempDir()
	if l, err := readLatches(dir); err != nil || l.Any() {
		t.Errorf("no file: %+v, %v", l, err)
	}
	want := risk.Latches{
		KillAll: true, KillSignals: []string{"a"}, Reduced: []feed.Symbol{{Venue: "v", Name: "x y"}},
		Pairs: []risk.Latch{{Signal: "b", Symbol: feed.Symbol{Venue: "v", Name: "é"}}},
	}
	failed := func(err error) { t.Error(err) }
	keeper := newLatches(dir, failed)
	keeper.put(risk.Latches{Stopped: true})
	keeper.put(want)
	keeper.close()
	if got, err := readLatches(dir); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, latchesFile), []byte(`{"kill_all":`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readLatches(dir); !errors.Is(err, ErrLatches) {
		t.Errorf("broken: %v", err)
	}
	bad := 0
	keeper = newLatches(filepath.Join(dir, "none"), func(error) { bad++ })
	keeper.put(want)
	keeper.close()
	if bad != 1 {
		t.Errorf("a file that cannot be written was told %d times", bad)
	}
}

// TestRestores: everything in force becomes a command, in a fixed order; too much of it stops everything.
func TestRestores(t *testing.T) {
	signal := func(name string) int { return strings.Index("ab", name) }
	l := risk.Latches{
		KillAll: true, ReduceAll: true, Stopped: true, KillSignals: []string{"b", "gone"}, ReduceSignals: []string{"a"},
		Killed: []feed.Symbol{{Venue: "v", Name: "x"}}, Reduced: []feed.Symbol{{Venue: "v", Name: "y"}},
		Pairs:     []risk.Latch{{Signal: "b", Symbol: feed.Symbol{Venue: "v", Name: "z"}}, {Signal: "gone", Symbol: feed.Symbol{Venue: "v", Name: "z"}}},
		Tightened: []risk.Tightened{{Limit: "spread", Value: 0.01}, {Limit: "of the future", Value: 1}},
	}
	var got []string
	for _, c := range restores(&l, signal) {
		got = append(got, fmt.Sprintf("%d/%d/%s/%d", c.Verb, c.Scope, c.Symbol.Name, c.Signal))
		if c.Verb == feed.ControlTighten && (c.Limit != feed.LimitSpread || c.Value != 0.01) {
			t.Errorf("%+v", c)
		}
		if c.By == "" || c.Reason == "" {
			t.Errorf("%+v says not who or why", c)
		}
	}
	if want := "1/1//0 4/1//0 5/1//0 1/3//1 4/3//0 1/2/x/0 4/2/y/0 6/1//0 1/1//0 5/2/z/1"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	for range restoresMax {
		l.Pairs = append(l.Pairs, l.Pairs[0])
	}
	if all := restores(&l, signal); len(all) != 1 || all[0].Verb != feed.ControlKill || all[0].Scope != feed.ScopeAll {
		t.Errorf("%d commands", len(all))
	}
}
