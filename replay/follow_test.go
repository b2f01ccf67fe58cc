package replay

import (
	"errors"
	"fmt"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
	"github.com/sigengine/sigengine/replay/snapshot"
)

// growing is a journal that is written while it is followed.
type growing struct {
	t      *testing.T
	store  *memstore.Store
	writer *journal.Writer
	ticks  *journal.TickAppender
	market *sim.Market
	known  map[uint32]bool
}

func newGrowing(t *testing.T) *growing {
	t.Helper()
	g := &growing{t: t, store: new(memstore.Store), known: map[uint32]bool{}}
	settings := sim.Default()
	settings.Seed, settings.Instruments = 3, 12
	var err error
	if g.market, err = sim.New(settings); err != nil {
		t.Fatal(err)
	}
	g.writer, err = journal.OpenWriter(g.store, journal.Options{Partition: "main", NowNs: func() int64 { return 1 }, SegmentBytes: 64 << 10, Inline: true})
	if err != nil {
		t.Fatal(err)
	}
	g.ticks = g.writer.Ticks()
	if err := g.ticks.Config(setup.Generation, "journal", []byte(parsed(t, flowConfig).String())); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *growing) grow(ticks int) {
	g.t.Helper()
	for range ticks {
		var tick feed.Tick
		g.market.Next(&tick)
		tick.Seq, tick.Source, tick.ReceiveNs = g.ticks.NextSeq(), 1, tick.ExchangeNs
		if id := tick.Instrument; !g.known[id] {
			g.known[id] = true
			s := g.market.Symbol(int(id))
			if err := g.ticks.Define(journal.Definition{ID: id, Source: 1, Class: journal.ClassInstrument, Venue: s.Venue, Symbol: s.Name}); err != nil {
				g.t.Fatal(err)
			}
		}
		g.ticks.Append(&tick, 0)
		for g.writer.Poll() {
		}
	}
	g.ticks.Flush()
	for g.writer.Poll() {
	}
}

// TestFollow: snapshots taken behind a writer are those that are taken afterwards, and the last is of the last tick.
func TestFollow(t *testing.T) {
	g := newGrowing(t)
	waits, blocks := 0, 0
	var taken []*snapshot.Snapshot
	result, err := Follow(g.store, Options{Build: build}, Following{
		Stop: func() bool { return false },
		Due:  func() bool { blocks++; return blocks%2 == 0 },
		Put:  func(s *snapshot.Snapshot) error { taken = append(taken, again(t, s)); return nil },
		Wait: func() bool {
			waits++
			g.grow(700)
			return waits < 10
		},
	})
	if err != nil || result.Ticks != 6300 || result.Signals < 20 || len(taken) < 4 {
		t.Fatalf("%+v, %d snapshots, %v", result, len(taken), err)
	}
	if last := taken[len(taken)-1].State.Sequence; last != 6300 {
		t.Errorf("the last is of tick %d", last)
	}
	for _, s := range taken {
		if want := again(t, take(t, g.store, Options{}, s.State.Sequence)); fmt.Sprint(s) != fmt.Sprint(want) {
			t.Errorf("of tick %d: another than afterwards", s.State.Sequence)
		}
	}
	if err := g.writer.Close(); err != nil {
		t.Error(err)
	}
}

// TestFollowEnds: an interrupt leaves a last snapshot, and one that cannot be put ends it with the error.
func TestFollowEnds(t *testing.T) {
	g := newGrowing(t)
	for range 10 {
		g.grow(300)
	}
	asked, full := 0, errors.New("no space")
	var last uint64
	f := Following{
		Due:  func() bool { return false },
		Wait: func() bool { return true },
		Stop: func() bool { asked++; return asked == 5 },
		Put:  func(s *snapshot.Snapshot) error { last = s.State.Sequence; return nil },
	}
	result, err := Follow(g.store, Options{Build: build}, f)
	if err != nil || last == 0 || last != result.Ticks || last >= 3000 {
		t.Errorf("a snapshot of tick %d, %+v, %v", last, result, err)
	}
	asked, f.Put = 0, func(*snapshot.Snapshot) error { return full }
	if _, err := Follow(g.store, Options{Build: build}, f); !errors.Is(err, full) {
		t.Error(err)
	}
	if err := g.writer.Close(); err != nil {
		t.Error(err)
	}
}
