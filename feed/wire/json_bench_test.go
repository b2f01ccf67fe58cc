package wire

import (
	"testing"

	"github.com/valyala/fastjson"

	"github.com/sigengine/sigengine/feed"
)

const benchQuote = `{"type":"quote","venue":"binance","symbol":"BTCUSDT","ts":1723161256313000000,"seq":50093239189,"bid":61800.20,"bid_size":2.507,"ask":61800.30,"ask_size":2.510}`

func BenchmarkJSONQuote(b *testing.B) {
	d := NewJSONDecoder(feed.DecoderOptions{Symbols: feed.NewSymbols(16)})
	batch := feed.Batch{Ticks: make([]feed.Tick, 1), VenueSeq: make([]uint64, 1)}
	message := []byte(benchQuote)
	b.ReportAllocs()
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		batch.N = 0
		d.Decode(message, 1, &batch)
	}
	if batch.N != 1 {
		b.Fatalf("not decoded: %+v", d.Stats().Counts())
	}
}

// BenchmarkJSONQuoteParseOnly is the floor: fastjson's parse of the same message and nothing else.
func BenchmarkJSONQuoteParseOnly(b *testing.B) {
	var parser fastjson.Parser
	message := []byte(benchQuote)
	b.ReportAllocs()
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		if _, err := parser.ParseBytes(message); err != nil {
			b.Fatal(err)
		}
	}
}
