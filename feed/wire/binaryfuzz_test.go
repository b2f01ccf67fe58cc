package wire

import (
	"bytes"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

// FuzzBinaryDecoder holds three things for any bytes: every message has one verdict, every tick that comes out
// is valid and of an interned symbol, and small batches give the same ticks as one large batch.
func FuzzBinaryDecoder(f *testing.F) {
	p := newPair(f, "abc", "d")
	for _, ticks := range [][]feed.Tick{
		{},
		{tradeTick(0, 1)},
		{tradeTick(0, 1), tradeTick(1, 2), {Kind: feed.KindQuote, F: [4]float64{1, 1, nan, 0}}},
		{{Kind: feed.KindGap, Instrument: feed.AllInstruments, F: [4]float64{5, 1}}},
		{{Kind: feed.KindDepth, Flags: feed.FlagMore, F: [4]float64{2, 1, 1}}, {Kind: feed.KindStatus, F: [4]float64{1}}},
	} {
		frame := p.encode(f, 0, ticks...)
		f.Add(frame)
		f.Add(frame[:len(frame)/2])
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		before := bytes.Clone(frame)
		large := newPair(t)
		large.batch = feed.Batch{Ticks: make([]feed.Tick, len(frame)/feed.TickSize+1)}
		want := large.decode(t, frame)
		small := NewBinaryDecoder(feed.DecoderOptions{Source: 9, Symbols: feed.NewSymbols(64)})
		batch := feed.Batch{Ticks: make([]feed.Tick, 2)}
		var got []feed.Tick
		for more := small.Decode(frame, 77, &batch); ; more = small.More(&batch) {
			got = append(got, batch.Ticks[:batch.N]...)
			batch.N = 0
			if !more {
				break
			}
		}
		if len(got) != len(want) || small.Stats().Counts() != large.decoder.Stats().Counts() {
			t.Fatalf("in pieces %d ticks, at once %d", len(got), len(want))
		}
		for i := range got {
			tick := got[i]
			if why := valid(&tick); why != feed.RejectNone || !sameTick(tick, got[i]) || !sameTick(got[i], want[i]) {
				t.Fatalf("tick %d: %v %+v", i, why, got[i])
			}
			if tick.Instrument != feed.AllInstruments {
				large.decoder.symbols.At(tick.Instrument)
			} else if tick.Kind != feed.KindGap {
				t.Fatalf("tick %d of all instruments: %+v", i, tick)
			}
		}
		if !bytes.Equal(frame, before) {
			t.Fatal("the decoder wrote into the message")
		}
	})
}
