package wire

import (
	"testing"

	"github.com/sigengine/sigengine/feed"
)

// BenchmarkBinaryTick decodes frames of 32 quotes of 8 instruments; one operation is one tick.
func BenchmarkBinaryTick(b *testing.B) {
	const ticksPerFrame = 32
	encoder, ticks := benchTicks(b, ticksPerFrame)
	if _, err := encoder.AppendFrame(nil, 1, ticks, nil); err != nil { // with definitions
		b.Fatal(err)
	}
	d := NewBinaryDecoder(feed.DecoderOptions{Symbols: feed.NewSymbols(16)})
	batch := feed.Batch{Ticks: make([]feed.Tick, ticksPerFrame), VenueSeq: make([]uint64, ticksPerFrame)}
	defining, err := NewEncoder(encoder.symbols, encoder.session).AppendFrame(nil, 1, ticks, nil)
	if err != nil {
		b.Fatal(err)
	}
	d.Decode(defining, 1, &batch)
	frame, err := encoder.AppendFrame(nil, 2, ticks, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(feed.TickSize)
	for i := 0; i < b.N; i += ticksPerFrame {
		batch.N = 0
		d.Decode(frame, 1, &batch)
	}
	if batch.N != ticksPerFrame {
		b.Fatalf("not decoded: %+v", d.Stats().Counts())
	}
}

func BenchmarkBinaryEncodeTick(b *testing.B) {
	const ticksPerFrame = 32
	encoder, ticks := benchTicks(b, ticksPerFrame)
	var frame []byte
	b.ReportAllocs()
	for i := 0; i < b.N; i += ticksPerFrame {
		frame, _ = encoder.AppendFrame(frame[:0], 1, ticks, nil)
	}
	if len(frame) < ticksPerFrame*feed.TickSize {
		b.Fatal("not encoded")
	}
}

func benchTicks(b *testing.B, n int) (*Encoder, []feed.Tick) {
	b.Helper()
	symbols := feed.NewSymbols(16)
	ticks := make([]feed.Tick, n)
	for i := range ticks {
		handle, err := symbols.Intern([]byte("binance"), []byte{'S', byte('A' + i%8)})
		if err != nil {
			b.Fatal(err)
		}
		ticks[i] = feed.Tick{
			ExchangeNs: 1723161256313000000, Instrument: handle, Kind: feed.KindQuote,
			F: [4]float64{61800.20, 2.507, 61800.30, 2.510},
		}
	}
	return NewEncoder(symbols, 0x1122334455667788), ticks
}
