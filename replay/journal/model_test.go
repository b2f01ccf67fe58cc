package journal_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

// model is what a journal should say, each kind in order, beside a journal on a store that fails and loses power.
type model struct {
	t       *rapid.T
	store   *memstore.Store
	options journal.Options
	w       *journal.Writer

	ticks, definitions, configs, outcomes []string
	tickSeqs                              []uint64
	definitionIDs                         uint32
	durable                               [4]int // how much of each must survive a crash
}

func (m *model) open() {
	w, err := journal.OpenWriter(m.store, m.options)
	if err != nil {
		m.t.Fatalf("open: %v", err)
	}
	m.w = w
}

func (m *model) append(t *rapid.T) {
	for range rapid.IntRange(1, 150).Draw(t, "ticks") {
		skip := uint64(0)
		if m.options.Sparse {
			skip = rapid.Uint64Range(0, 5000).Draw(t, "skip")
		}
		tick := testTick(m.w.Ticks().NextSeq() + skip)
		venue := rapid.SampledFrom([]uint64{0, 0, 1 << 60}).Draw(t, "venue")
		m.w.Ticks().Append(&tick, venue)
		m.ticks = append(m.ticks, renderTick(&tick, venue))
		m.tickSeqs = append(m.tickSeqs, tick.Seq)
	}
}

func (m *model) define(t *rapid.T) {
	d := journal.Definition{
		At: m.w.Ticks().NextSeq(), ID: m.definitionIDs, Class: journal.ClassInstrument, Venue: "v",
		Symbol: rapid.StringMatching(`[A-Z]{1,96}`).Draw(t, "symbol"),
	}
	m.definitionIDs++
	if err := m.w.Ticks().Define(d); err != nil {
		t.Fatal(err)
	}
	m.definitions = append(m.definitions, fmt.Sprintf("%d %s", d.ID, d.Symbol))
}

func (m *model) config(t *rapid.T) {
	text := rapid.SliceOfN(rapid.Byte(), 0, 9000).Draw(t, "text")
	generation := uint32(len(m.configs) + 1)
	if err := m.w.Ticks().Config(generation, "c", text); err != nil {
		t.Fatal(err)
	}
	m.configs = append(m.configs, fmt.Sprintf("%d %x", generation, text))
}

func (m *model) outcome(t *rapid.T) {
	for range rapid.IntRange(1, 40).Draw(t, "outcomes") {
		body := rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "body")
		m.w.Outcomes().Append(body, uint8(len(body)))
		m.outcomes = append(m.outcomes, renderOutcome(uint64(len(m.outcomes)+1), body, uint8(len(body))))
	}
}

func (m *model) flush(*rapid.T) {
	m.w.Ticks().Flush()
	m.w.Outcomes().Flush()
	if m.options.Sync == journal.SyncBlocks && m.w.Err() == nil {
		m.durable = [4]int{len(m.ticks), len(m.definitions), len(m.configs), len(m.outcomes)}
	}
}

func (m *model) reopen(t *rapid.T) {
	err := m.w.Close()
	switch {
	case err == nil:
		m.durable = [4]int{len(m.ticks), len(m.definitions), len(m.configs), len(m.outcomes)}
		w, err := journal.OpenWriter(m.store, m.options)
		if errors.Is(err, memstore.ErrInjected) {
			m.crash(t)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		m.w = w
	case errors.Is(err, memstore.ErrInjected):
		m.crash(t)
	default:
		t.Fatal(err)
	}
}

func (m *model) fail(t *rapid.T) {
	if rapid.Bool().Draw(t, "syncs") {
		m.store.FailSyncs(true)
		return
	}
	m.store.FailAfter(rapid.Int64Range(0, 20_000).Draw(t, "after"))
}

// crash loses power, compares what is left with the model, and goes on from there.
func (m *model) crash(t *rapid.T) {
	m.store.Crash(func(name string, synced, written int) int {
		return rapid.IntRange(synced, written).Draw(t, "keep of "+name)
	})
	m.compare(t, true)
	m.open()
	if next := m.w.Resumed().NextSeq; len(m.tickSeqs) > 0 && next != m.tickSeqs[len(m.tickSeqs)-1]+1 {
		t.Fatalf("goes on at %d after %d ticks", next, len(m.ticks))
	}
}

// compare reads the journal: every kind must be a prefix of the model, no shorter than what is durable; with cut, the model
// forgets the rest.
func (m *model) compare(t *rapid.T, cut bool) {
	ticks, definitions, configs, outcomes := m.read(t)
	got := [4][]string{ticks, definitions, configs, outcomes}
	for i, want := range [4]*[]string{&m.ticks, &m.definitions, &m.configs, &m.outcomes} {
		if !isPrefix(got[i], *want) || len(got[i]) < m.durable[i] {
			t.Fatalf("kind %d: read %d of %d records, %d durable; a prefix: %v",
				i, len(got[i]), len(*want), m.durable[i], isPrefix(got[i], *want))
		}
		if cut {
			*want = slices.Clone(got[i])
			m.durable[i] = len(got[i])
		}
	}
	if cut {
		m.tickSeqs = m.tickSeqs[:len(ticks)]
		m.definitionIDs = uint32(len(definitions))
	}
}

func (m *model) read(t *rapid.T) (ticks, definitions, configs, outcomes []string) {
	r, err := journal.OpenReader(m.store, journal.ReaderOptions{})
	if errors.Is(err, journal.ErrEmpty) {
		return nil, nil, nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for {
		block, err := r.Next()
		if err == io.EOF || errors.Is(err, journal.ErrIncompleteTail) {
			return ticks, definitions, configs, outcomes
		}
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		if block.Repeated {
			continue
		}
		venue := block.VenueSequences()
		for i := range block.Ticks() {
			sequence := uint64(0)
			if venue != nil {
				sequence = venue[i]
			}
			ticks = append(ticks, renderTick(&block.Ticks()[i], sequence))
		}
		for d := range block.Definitions() {
			definitions = append(definitions, fmt.Sprintf("%d %s", d.ID, d.Symbol))
		}
		if c, ok := block.Config(); ok {
			configs = append(configs, fmt.Sprintf("%d %x", c.Generation, c.Text))
		}
		for o := range block.Outcomes() {
			outcomes = append(outcomes, renderOutcome(o.Number, o.Body, o.Result))
		}
	}
}

// TestModelWithFailingStore does random things, on a store that fails and loses what was not synced.
func TestModelWithFailingStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := inlineOptions()
		options.Sync = rapid.SampledFrom([]journal.SyncPolicy{journal.SyncInterval, journal.SyncBlocks}).Draw(t, "sync")
		options.SyncEveryNs = 5_000_000
		options.Sparse = rapid.Bool().Draw(t, "sparse")
		options.FirstSeq = rapid.SampledFrom([]uint64{1, 4096, 1 << 40}).Draw(t, "first")
		options.QuickOpen = rapid.Bool().Draw(t, "quick")
		m := &model{t: t, store: new(memstore.Store), options: options}
		m.open()
		t.Repeat(map[string]func(*rapid.T){
			"append": m.append, "append more": m.append, "define": m.define, "config": m.config, "outcome": m.outcome,
			"flush": m.flush, "reopen": m.reopen, "fail": m.fail, "crash": m.crash,
			"": func(t *rapid.T) { m.compare(t, false) },
		})
	})
}

// TestDefinitionsComeBeforeTheirTicks: a tick of an instrument is never read before the definition of its id.
func TestDefinitionsComeBeforeTheirTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := new(memstore.Store)
		w, err := journal.OpenWriter(store, inlineOptions())
		if err != nil {
			t.Fatal(err)
		}
		defined := uint32(0)
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			if defined == 0 || rapid.IntRange(0, 3).Draw(t, "define") == 0 {
				d := journal.Definition{ID: defined, Class: journal.ClassName, Symbol: fmt.Sprintf("a name of some length %d", defined)}
				if err := w.Ticks().Define(d); err != nil {
					t.Fatal(err)
				}
				defined++
			}
			tick := feed.Tick{Seq: w.Ticks().NextSeq(), Instrument: defined - 1}
			w.Ticks().Append(&tick, 0)
			if rapid.IntRange(0, 20).Draw(t, "flush") == 0 {
				w.Ticks().Flush()
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		checkDefinedFirst(t, store)
	})
}

func checkDefinedFirst(t *rapid.T, store journal.Store) {
	r, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := map[uint32]uint64{}
	for {
		block, err := r.Next()
		if err != nil {
			if err != io.EOF {
				t.Fatal(err)
			}
			return
		}
		for d := range block.Definitions() {
			at[d.ID] = d.At
		}
		for _, tick := range block.Ticks() {
			if from, ok := at[tick.Instrument]; !ok || from > tick.Seq {
				t.Fatalf("tick %d of id %d, defined %v from %d", tick.Seq, tick.Instrument, ok, from)
			}
		}
	}
}
