package codec

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/venue"
	"github.com/sigengine/sigengine/feed/wire"
)

func TestNewFindsEach(t *testing.T) {
	symbols := feed.NewSymbols(8)
	handle, _ := symbols.Intern([]byte("v"), []byte("s"))
	frame, err := wire.NewEncoder(symbols, 1).AppendFrame(nil, 0, []feed.Tick{{Kind: feed.KindTrade, Instrument: handle}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	quote := `{"u":1,"s":"X","b":"1","B":"1","a":"2","A":"1"}`
	messages := map[string]struct{ message, venue string }{
		JSON:        {`{"type":"trade","venue":"v","symbol":"s","price":1,"size":1}`, "v"},
		Binary:      {string(frame), "v"},
		BinanceSpot: {quote, venue.BinanceSpotVenue},
		BinanceUSDM: {quote, venue.BinanceUSDMVenue},
	}
	if len(messages) != len(Names()) {
		t.Fatalf("names: %v", Names())
	}
	for _, name := range Names() {
		symbols := feed.NewSymbols(8)
		decoder, err := New(name, feed.DecoderOptions{Symbols: symbols})
		if err != nil {
			t.Fatal(err)
		}
		batch := feed.Batch{Ticks: make([]feed.Tick, 1)}
		decoder.Decode([]byte(messages[name].message), 1, &batch)
		if batch.N != 1 || symbols.At(0).Venue != messages[name].venue {
			t.Errorf("%s: %+v", name, decoder.Stats().Counts())
		}
	}
}

func TestNewErrors(t *testing.T) {
	if d, err := New("jason", feed.DecoderOptions{}); d != nil || !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "binance-usdm") {
		t.Error(d, err)
	}
	if d, err := New(BinanceSpot, feed.DecoderOptions{Trades: "all"}); d != nil || !errors.Is(err, venue.ErrTrades) {
		t.Error(d, err)
	}
}

func ExampleNew() {
	symbols := feed.NewSymbols(100)
	decoder, err := New("binance-spot", feed.DecoderOptions{Symbols: symbols})
	if err != nil {
		panic(err)
	}
	batch := feed.Batch{Ticks: make([]feed.Tick, 8)}
	decoder.Decode([]byte(`{"u":400900217,"s":"BNBUSDT","b":"25.3519","B":"31.21","a":"25.3652","A":"40.66"}`), 1723161255088169167, &batch)
	tick := batch.Ticks[0]
	fmt.Println(symbols.At(tick.Instrument), tick.Kind, tick.F)
	// Output:
	// {binance BNBUSDT} quote [25.3519 31.21 25.3652 40.66]
}
