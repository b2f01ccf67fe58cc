package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

// story writes some of everything and returns what a reader must give, in order.
func story(t testing.TB, w *journal.Writer) (want []string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ticks, outcomes := w.Ticks(), w.Outcomes()
	must(ticks.Blob("build", []byte("go1.26 amd64")))
	must(ticks.Config(1, "engine.yaml", []byte("signals: []\n")))
	want = append(want, `blob build "go1.26 amd64"`, fmt.Sprintf("config 1 engine.yaml %q from %d", "signals: []\n", ticks.NextSeq()))
	for id := range uint32(3) {
		d := journal.Definition{ID: id, Source: 1, Class: journal.ClassInstrument, Venue: "binance", Symbol: fmt.Sprint("COIN", id)}
		d.At = ticks.NextSeq() + uint64(2*id)
		want = append(want, fmt.Sprintf("definition %+v", d))
	}
	for id := range uint32(3) {
		must(ticks.Define(journal.Definition{ID: id, Source: 1, Class: journal.ClassInstrument, Venue: "binance", Symbol: fmt.Sprint("COIN", id)}))
		for range 2 {
			tick := testTick(ticks.NextSeq())
			ticks.Append(&tick, uint64(id))
			want = append(want, renderTick(&tick, uint64(id)))
		}
	}
	ticks.Flush()
	for i := range 2 {
		body := bytes.Repeat([]byte{uint8(i + 1)}, 5+i)
		outcomes.Append(body, uint8(i))
		want = append(want, renderOutcome(uint64(i+1), body, uint8(i)))
	}
	outcomes.Flush()
	must(ticks.Config(2, "engine.yaml", []byte("signals: [] # two\n")))
	want = append(want, fmt.Sprintf("config 2 engine.yaml %q from %d", "signals: [] # two\n", ticks.NextSeq()))
	tick := testTick(ticks.NextSeq())
	ticks.Append(&tick, 0)
	return append(want, renderTick(&tick, 0))
}

func TestRoundTrip(t *testing.T) {
	for _, inline := range []bool{true, false} {
		store := new(memstore.Store)
		options := inlineOptions()
		options.Inline = inline
		if !inline {
			options.OutcomeBlocks, options.TickBlocks = 16, 64
		}
		w := open(t, store, options)
		want := story(t, w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := readAll(store)
		wantEOF(t, err)
		if !inline { // the two producers' blocks interleave as it happens
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("inline %v: read\n%q\nwant\n%q", inline, got, want)
		}
		if s := w.Stats(); s.Ticks != 7 || s.Outcomes != 2 || s.Segments != 1 || s.Broken || s.LostBlocks != 0 {
			t.Errorf("stats %+v", s)
		}
	}
}

func TestOutOfSequenceFails(t *testing.T) {
	w := open(t, new(memstore.Store), inlineOptions())
	tick := feed.Tick{Seq: 2}
	w.Ticks().Append(&tick, 0)
	if !w.Failed() || !errors.Is(w.Err(), journal.ErrSequence) {
		t.Errorf("failed %v, error %v", w.Failed(), w.Err())
	}
	if err := w.Close(); !errors.Is(err, journal.ErrSequence) {
		t.Errorf("close: %v", err)
	}
}

// TestRunsBeginWithWhatIsInForce: at a new run a reader is told again what holds. A definition whose tick was lost with the
// tail holds from the run's first tick on, for that tick has its sequence now.
func TestRunsBeginWithWhatIsInForce(t *testing.T) {
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	if err := w.Ticks().Config(4, "c", []byte("text")); err != nil {
		t.Fatal(err)
	}
	appendTicks(w, 5)
	w.Ticks().Flush()
	appendTicks(w, 3)
	definition := journal.Definition{ID: 1, Class: journal.ClassInstrument, Venue: "binance", Symbol: "LATE"}
	if err := w.Ticks().Define(definition); err != nil {
		t.Fatal(err)
	}
	appendTicks(w, 1)
	const definitionBlock = journal.BlockHeaderBytes + 32
	store.FailAfter(definitionBlock + 50)
	w.Ticks().Flush()
	if err := w.Close(); !errors.Is(err, memstore.ErrInjected) {
		t.Fatal(err)
	}
	store.FailAfter(1 << 30)
	for run := uint64(2); run <= 3; run++ {
		w = open(t, store, inlineOptions())
		r := w.Resumed()
		if r.Run != run || len(r.Definitions) != 1 || r.Definitions[0].At != 6 || len(r.Configs) != 1 {
			t.Errorf("resumed %+v", r)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readAll(store)
	wantEOF(t, err)
	config := `config 4 c "text" from 1`
	definition.At = 9
	atFirst := fmt.Sprintf("definition %+v", definition)
	definition.At = 6
	again := fmt.Sprintf("definition %+v", definition)
	want := []string{config, got[1], got[2], got[3], got[4], got[5], atFirst, config, again, config, again}
	if !slices.Equal(got, want) {
		t.Errorf("read\n%q\nwant\n%q", got, want)
	}
}
