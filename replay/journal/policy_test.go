package journal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

func TestOptionsAreChecked(t *testing.T) {
	tests := map[string]func(*journal.Options){
		"no clock":          func(o *journal.Options) { o.NowNs = nil },
		"no partition":      func(o *journal.Options) { o.Partition = "" },
		"long partition":    func(o *journal.Options) { o.Partition = strings.Repeat("p", 65) },
		"small block":       func(o *journal.Options) { o.BlockBytes = 1 << 10 },
		"large block":       func(o *journal.Options) { o.BlockBytes = 2 << 20 },
		"uneven block":      func(o *journal.Options) { o.BlockBytes = 5000 },
		"three tick blocks": func(o *journal.Options) { o.TickBlocks = 3 },
		"one outcome block": func(o *journal.Options) { o.OutcomeBlocks = 1 },
		"small segment":     func(o *journal.Options) { o.SegmentBytes = 1 << 10 },
		"small retention":   func(o *journal.Options) { o.RetainBytes = o.SegmentBytes },
		"negative interval": func(o *journal.Options) { o.SyncEveryNs = -1 },
		"unknown sync":      func(o *journal.Options) { o.Sync = 9 },
		"unknown on error":  func(o *journal.Options) { o.OnError = 9 },
	}
	for name, change := range tests {
		options := inlineOptions()
		change(&options)
		if _, err := journal.OpenWriter(new(memstore.Store), options); !errors.Is(err, journal.ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := journal.OpenWriter(new(memstore.Store), journal.Options{Partition: "p", NowNs: testClock(), Inline: true}); err != nil {
		t.Errorf("defaults: %v", err)
	}
}

func TestExistingJournalMustFit(t *testing.T) {
	store := goldenStore(t)
	before := store.Bytes(journal.SegmentName(2))
	cut := before[:len(before)-1]
	store.Set(journal.SegmentName(2), cut)
	options := inlineOptions()
	options.Partition = "other"
	if _, err := journal.OpenWriter(store, options); !errors.Is(err, journal.ErrPartition) {
		t.Errorf("another partition: %v", err)
	}
	options = inlineOptions()
	options.Sparse = true
	if _, err := journal.OpenWriter(store, options); !errors.Is(err, journal.ErrOptions) {
		t.Errorf("sparse: %v", err)
	}
	if len(store.Bytes(journal.SegmentName(2))) != len(cut) {
		t.Error("a writer that refused has changed the journal")
	}
	w := open(t, store, inlineOptions())
	if _, err := journal.OpenWriter(store, inlineOptions()); !errors.Is(err, journal.ErrLocked) {
		t.Errorf("second writer: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != journal.ErrClosed {
		t.Errorf("second close: %v", err)
	}
}

func TestQuickOpenChecksTheLastSegmentOnly(t *testing.T) {
	for _, quick := range []bool{false, true} {
		store := goldenStore(t)
		first := store.Bytes(journal.SegmentName(1))
		first[300] ^= 1
		store.Set(journal.SegmentName(1), first)
		options := inlineOptions()
		options.QuickOpen = quick
		w, err := journal.OpenWriter(store, options)
		var damage *journal.DamageError
		switch {
		case quick && (err != nil || w.Resumed().NextSeq != 10 || len(w.Resumed().Definitions) != 3):
			t.Errorf("quick: %v", err)
		case !quick && !errors.As(err, &damage):
			t.Errorf("full: %v", err)
		}
	}
}

func TestErrorPolicies(t *testing.T) {
	for _, policy := range []journal.ErrorPolicy{journal.ErrorStop, journal.ErrorContinue} {
		store := new(memstore.Store)
		options := inlineOptions()
		options.OnError = policy
		w := open(t, store, options)
		appendTicks(w, 5)
		w.Ticks().Flush()
		store.FailAfter(10)
		appendTicks(w, 700)
		w.Ticks().Flush()
		w.Outcomes().Append([]byte("lost"), 0)
		w.Outcomes().Flush()
		if w.Failed() != (policy == journal.ErrorStop) || !errors.Is(w.Err(), memstore.ErrInjected) {
			t.Errorf("policy %d: failed %v, error %v", policy, w.Failed(), w.Err())
		}
		s := w.Stats()
		if !s.Broken || s.Ticks != 5 || s.LostTicks != 700 || s.LostOutcomes != 1 || s.LostBlocks != 12 {
			t.Errorf("policy %d: stats %+v", policy, s)
		}
		store.FailAfter(1 << 30) // the disk has room again: the journal has ended all the same
		appendTicks(w, 100)
		if err := w.Close(); !errors.Is(err, memstore.ErrInjected) {
			t.Errorf("policy %d: close: %v", policy, err)
		}
		got, err := readAll(store)
		if !errors.Is(err, journal.ErrIncompleteTail) || len(got) != 5 {
			t.Errorf("policy %d: %d records, then %v", policy, len(got), err)
		}
	}
}

func TestSyncPolicies(t *testing.T) {
	tests := []struct {
		policy journal.SyncPolicy
		syncs  uint64
	}{
		{journal.SyncNone, 0},
		{journal.SyncBlocks, 1 + 23},  // a sync a write, the header's included
		{journal.SyncInterval, 4 + 1}, // 23 ms, 5 ms apart, and at the end
	}
	for _, test := range tests {
		options := inlineOptions()
		now := int64(0)
		options.NowNs = func() int64 { return now }
		options.Sync, options.SyncEveryNs = test.policy, 5_000_000
		w := open(t, new(memstore.Store), options)
		for range 23 {
			now += 1_000_000
			appendTicks(w, 1)
			w.Ticks().Flush()
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if s := w.Stats(); s.Syncs != test.syncs {
			t.Errorf("policy %d: %d syncs, not %d", test.policy, s.Syncs, test.syncs)
		}
	}
}

// gate is a store whose writes wait.
type gate struct {
	memstore.Store
	closed chan struct{}
}

type gateFile struct {
	journal.File
	gate *gate
	free int
}

func (g *gate) Create(name string) (journal.File, error) {
	file, err := g.Store.Create(name)
	return &gateFile{file, g, 1}, err // the header passes
}

func (f *gateFile) Write(p []byte) (int, error) {
	if f.free--; f.free < 0 {
		<-f.gate.closed
	}
	return f.File.Write(p)
}

// TestBlockedProducerIsCounted: with all blocks in flight the producer waits, and nothing is lost.
func TestBlockedProducerIsCounted(t *testing.T) {
	store := &gate{closed: make(chan struct{})}
	options := inlineOptions()
	options.Inline, options.SegmentBytes = false, 1<<20
	w := open(t, store, options)
	go func() {
		for w.Stats().TicksBlocked == 0 || w.Stats().OutcomesBlocked == 0 {
		}
		close(store.closed)
	}()
	risk := make(chan struct{})
	go func() {
		defer close(risk)
		for range 1000 {
			w.Outcomes().Append(make([]byte, 100), 0)
		}
	}()
	appendTicks(w, 2000)
	<-risk
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if s := w.Stats(); s.Ticks != 2000 || s.Outcomes != 1000 {
		t.Errorf("stats %+v", s)
	}
}

func TestRecordLimits(t *testing.T) {
	w := open(t, new(memstore.Store), inlineOptions())
	ticks := w.Ticks()
	long := strings.Repeat("x", 2000)
	for _, d := range []journal.Definition{
		{},
		{Class: 9, Venue: "v", Symbol: "s"},
		{Class: journal.ClassInstrument, Symbol: "s"},
		{Class: journal.ClassInstrument, Venue: "v"},
		{Class: journal.ClassName, Venue: "v", Symbol: "s"},
	} {
		if err := ticks.Define(d); !errors.Is(err, journal.ErrDefinition) {
			t.Errorf("%+v: %v", d, err)
		}
	}
	tooLarge := []error{
		ticks.Define(journal.Definition{Class: journal.ClassInstrument, Venue: "v", Symbol: long}),
		ticks.Define(journal.Definition{Class: journal.ClassInstrument, Venue: long, Symbol: "s"}),
		ticks.Config(1, long, nil),
		ticks.Config(1, "", nil),
		ticks.Config(1, "c", make([]byte, journal.PayloadBytesMax)),
		ticks.Blob("b", make([]byte, journal.PayloadBytesMax)),
	}
	for i, err := range tooLarge {
		if !errors.Is(err, journal.ErrTooLarge) {
			t.Errorf("record %d: %v", i, err)
		}
	}
	if w.Err() != nil {
		t.Errorf("refused records have ended the journal: %v", w.Err())
	}
	w.Outcomes().Append(make([]byte, 5000), 0)
	if !errors.Is(w.Err(), journal.ErrTooLarge) || !w.Failed() {
		t.Errorf("an outcome larger than a block: %v", w.Err())
	}
}

// TestLargeConfig is larger than a block and a segment, and the journal goes on.
func TestLargeConfig(t *testing.T) {
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	text := []byte(strings.Repeat("# a line of a config\n", 10_000))
	if err := w.Ticks().Config(1, "big.yaml", text); err != nil {
		t.Fatal(err)
	}
	appendTicks(w, 200)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(store)
	wantEOF(t, err)
	if want := fmt.Sprintf("config 1 big.yaml %q from 1", text); len(got) != 201 || got[0] != want {
		t.Errorf("%d records", len(got))
	}
}

// TestByteOrder: golden bytes are written and read the same without knowing the processor's byte order.
func TestByteOrder(t *testing.T) {
	store := goldenStore(t)
	want, err := readAll(store)
	wantEOF(t, err)
	defer journal.AsBigEndian()()
	for index := uint64(1); index <= 2; index++ {
		name := journal.SegmentName(index)
		if again := goldenStore(t); string(again.Bytes(name)) != string(store.Bytes(name)) {
			t.Errorf("%s is written otherwise", name)
		}
	}
	got, err := readAll(store)
	wantEOF(t, err)
	if !slices.Equal(got, want) {
		t.Errorf("read %q", got)
	}
}

// TestOrderedBytesOfTicks: the bytes of a tick do not depend on the processor's byte order.
func TestOrderedBytesOfTicks(t *testing.T) {
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	appendTicks(w, 3)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	contents := store.Bytes(journal.SegmentName(1))[journal.SegmentHeaderBytes+journal.BlockHeaderBytes:]
	for seq := uint64(1); seq <= 3; seq++ {
		want, bytes := testTick(seq), make([]byte, feed.TickSize)
		journal.PutTick(bytes, &want)
		if got := contents[(seq-1)*feed.TickSize:][:feed.TickSize]; string(got) != string(bytes) {
			t.Errorf("tick %d: %x, not %x", seq, got, bytes)
		}
		var back feed.Tick
		journal.GetTick(bytes, &back)
		if fmt.Sprint(back) != fmt.Sprint(want) {
			t.Errorf("tick %d comes back as %+v", seq, back)
		}
	}
}
