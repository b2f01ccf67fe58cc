package wire

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

func TestJSONRoundTrip(t *testing.T) {
	name := rapid.StringN(1, 20, 32)
	rapid.Check(t, func(t *rapid.T) {
		want := drawTick(t, 1)
		symbol := feed.Symbol{Venue: name.Draw(t, "venue"), Name: name.Draw(t, "symbol")}
		seq := rapid.Uint64().Draw(t, "seq")
		text, err := AppendJSON(nil, symbol, want, seq)
		if err != nil {
			t.Fatal(err)
		}
		symbols := feed.NewSymbols(1)
		d := NewJSONDecoder(feed.DecoderOptions{Symbols: symbols})
		batch := feed.Batch{Ticks: make([]feed.Tick, 1), VenueSeq: make([]uint64, 1)}
		if d.Decode(text, 0, &batch); batch.N != 1 || !sameTick(batch.Ticks[0], want) || batch.VenueSeq[0] != seq {
			t.Fatalf("%s:\n got %+v %d\nwant %+v %d", text, batch.Ticks, batch.VenueSeq[0], want, seq)
		}
		if want.Instrument == 0 && symbols.At(0) != symbol {
			t.Fatalf("%s: symbol %q, want %q", text, symbols.At(0), symbol)
		}
	})
}

func TestAppendJSONRefuses(t *testing.T) {
	good := feed.Symbol{Venue: "v", Name: "s"}
	cases := []struct {
		symbol feed.Symbol
		tick   feed.Tick
		why    feed.Reject
	}{
		{good, feed.Tick{}, feed.RejectUnknownKind},
		{good, feed.Tick{Kind: feed.KindFill}, feed.RejectUnsupportedKind},
		{good, feed.Tick{Kind: feed.KindTrade, F: [4]float64{math.Inf(1), 1}}, feed.RejectNotFinite},
		{feed.Symbol{Venue: "v"}, feed.Tick{Kind: feed.KindTrade}, feed.RejectSymbolName},
		{feed.Symbol{Name: "s"}, feed.Tick{Kind: feed.KindTrade}, feed.RejectSymbolName},
		{feed.Symbol{Venue: "v", Name: strings.Repeat("s", 97)}, feed.Tick{Kind: feed.KindTrade}, feed.RejectSymbolName},
		{feed.Symbol{Venue: "v", Name: "\xff"}, feed.Tick{Kind: feed.KindTrade}, feed.RejectBadUTF8},
	}
	for _, c := range cases {
		text, err := AppendJSON([]byte("x"), c.symbol, c.tick, 0)
		if !errors.Is(err, ErrTick) || !strings.Contains(err.Error(), c.why.String()) || string(text) != "x" {
			t.Errorf("%+v: %q, %v", c, text, err)
		}
	}
}

func ExampleAppendJSON() {
	tick := feed.Tick{Kind: feed.KindQuote, ExchangeNs: 1723161256313000000, F: [4]float64{61800.20, 2.507, 61800.30, 2.51}}
	text, err := AppendJSON(nil, feed.Symbol{Venue: "binance", Name: "BTCUSDT"}, tick, 50093239189)
	fmt.Println(string(text), err)
	// Output:
	// {"type":"quote","venue":"binance","symbol":"BTCUSDT","ts":1723161256313000000,"seq":50093239189,"bid":61800.2,"bid_size":2.507,"ask":61800.3,"ask_size":2.51} <nil>
}
