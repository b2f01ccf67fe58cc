package wire_test

import (
	"fmt"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/wire"
)

// A publisher makes frames; whoever listens decodes them into its own slots.
func ExampleEncoder() {
	symbols := feed.NewSymbols(1000)
	btc, err := symbols.Intern([]byte("binance"), []byte("BTCUSDT"))
	if err != nil {
		panic(err)
	}
	session, err := wire.NewSession()
	if err != nil {
		panic(err)
	}
	encoder := wire.NewEncoder(symbols, session)
	ticks := []feed.Tick{
		{Instrument: btc, Kind: feed.KindQuote, ExchangeNs: 1723161256313000000, F: [4]float64{61800.20, 2.507, 61800.30, 2.51}},
		{Instrument: btc, Kind: feed.KindTrade, ExchangeNs: 1723161256322000000, F: [4]float64{61800.30, 0.006, 1}},
	}
	frame, err := encoder.AppendFrame(nil, 1723161256400000000, ticks, nil)
	if err != nil {
		panic(err)
	}

	decoder := wire.NewBinaryDecoder(feed.DecoderOptions{Source: 1, Symbols: feed.NewSymbols(1000)})
	batch := feed.Batch{Ticks: make([]feed.Tick, 16)}
	for more := decoder.Decode(frame, 1723161256500000000, &batch); ; more = decoder.More(&batch) {
		for _, tick := range batch.Ticks[:batch.N] {
			fmt.Println(tick.Kind, tick.ExchangeNs, tick.F)
		}
		batch.N = 0
		if !more {
			break
		}
	}
	// Output:
	// quote 1723161256313000000 [61800.2 2.507 61800.3 2.51]
	// trade 1723161256322000000 [61800.3 0.006 1 0]
}

func ExampleJSONDecoder() {
	symbols := feed.NewSymbols(1000)
	decoder := wire.NewJSONDecoder(feed.DecoderOptions{Source: 1, Symbols: symbols, Venue: "house"})
	batch := feed.Batch{Ticks: make([]feed.Tick, 16), VenueSeq: make([]uint64, 16)}
	decoder.Decode([]byte(`{"type":"quote","symbol":"ACME","seq":7,"bid":"10.05","bid_size":300,"ask":null}`), 1723161256500000000, &batch)
	for i, tick := range batch.Ticks[:batch.N] {
		fmt.Println(symbols.At(tick.Instrument), tick.Kind, tick.F, batch.VenueSeq[i])
	}
	// Output:
	// {house ACME} quote [10.05 300 NaN 0] 7
}
