package venue

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

var nan = feed.NaN()

const (
	spotQuote  = `{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}`
	usdmQuote  = `{"e":"bookTicker","u":5123107839020,"s":"BTCUSDT","b":"61800.20","B":"2.507","a":"61800.30","A":"2.510","T":1723161256313,"E":1723161256314}`
	spotTrade  = `{"e":"trade","E":1672515782136,"s":"BNBBTC","t":12345,"p":"0.001","q":"100","b":88,"a":50,"T":1672515782135,"m":true,"M":true}`
	usdmTrade  = `{"e":"trade","E":1723161256322,"T":1723161256322,"s":"BTCUSDT","t":5266583935,"p":"61800.30","q":"0.006","X":"MARKET","m":false}`
	aggTrade   = `{"e":"aggTrade","E":1672515782136,"s":"BNBBTC","a":12345,"p":"0.001","q":"100","f":100,"l":105,"T":1672515782135,"m":true,"M":true}`
	depthDiff  = `{"e":"depthUpdate","E":1672515782136,"s":"BNBBTC","U":157,"u":160,"b":[["0.0024","10"]],"a":[["0.0026","100"]]}`
	snapshot   = `{"lastUpdateId":160,"bids":[["0.0024","10"]],"asks":[["0.0026","100"]]}`
	subscribed = `{"result":null,"id":1}`
)

func wrap(data string) string { return `{"stream":"x@y","data":` + data + `}` }

func TestBinanceTicks(t *testing.T) {
	cases := []struct {
		name, trades, message string
		want                  feed.Tick
		seq                   uint64
		symbol                string
	}{
		{"spot quote", "", spotQuote, feed.Tick{Kind: feed.KindQuote, F: [4]float64{25.3519, 31.21, 25.3652, 40.66}}, 400900217, "BNBUSDT"},
		{"USD-M quote", "", usdmQuote, feed.Tick{Kind: feed.KindQuote, ExchangeNs: 1723161256313000000, F: [4]float64{61800.20, 2.507, 61800.30, 2.51}}, 5123107839020, "BTCUSDT"},
		{"USD-M quote without T", "", strings.Replace(usdmQuote, `"T":1723161256313,`, "", 1), feed.Tick{Kind: feed.KindQuote, ExchangeNs: 1723161256314000000, F: [4]float64{61800.20, 2.507, 61800.30, 2.51}}, 5123107839020, "BTCUSDT"},
		{"spot trade", "trade", spotTrade, feed.Tick{Kind: feed.KindTrade, ExchangeNs: 1672515782135000000, F: [4]float64{0.001, 100, -1}}, 12345, "BNBBTC"},
		{"USD-M trade", "", usdmTrade, feed.Tick{Kind: feed.KindTrade, ExchangeNs: 1723161256322000000, F: [4]float64{61800.30, 0.006, 1}}, 5266583935, "BTCUSDT"},
		{"aggregate trade", "aggTrade", aggTrade, feed.Tick{Kind: feed.KindTrade, ExchangeNs: 1672515782135000000, F: [4]float64{0.001, 100, -1}}, 12345, "BNBBTC"},
		{"no bid", "", `{"u":1,"s":"X","b":"0.00000000","B":"0.00000000","a":"1","A":"2"}`, feed.Tick{Kind: feed.KindQuote, F: [4]float64{nan, 0, 1, 2}}, 1, "X"},
		{"no ask", "", `{"u":1,"s":"X","b":"1","B":"2","a":"0.0","A":"0"}`, feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, 2, nan, 0}}, 1, "X"},
		{"null ask", "", `{"u":1,"s":"X","b":"1","B":"2","a":null,"A":null}`, feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, 2, nan, 0}}, 1, "X"},
		{"price zero with size", "", `{"u":1,"s":"X","b":"0","B":"2","a":"1","A":"2"}`, feed.Tick{Kind: feed.KindQuote, F: [4]float64{0, 2, 1, 2}}, 1, "X"},
		{"crossed", "", `{"u":1,"s":"X","b":"3","B":"2","a":"1","A":"2"}`, feed.Tick{Kind: feed.KindQuote, F: [4]float64{3, 2, 1, 2}}, 1, "X"},
		{"locked, bare numbers, exponents", "", `{"u":"18446744073709551615","s":"X","b":1e-7,"B":2E2,"a":"1E-7","A":2}`, feed.Tick{Kind: feed.KindQuote, F: [4]float64{1e-7, 200, 1e-7, 2}}, math.MaxUint64, "X"},
		{"id beyond 2^53", "", strings.Replace(usdmTrade, "5266583935", "9007199254740993", 1), feed.Tick{Kind: feed.KindTrade, ExchangeNs: 1723161256322000000, F: [4]float64{61800.30, 0.006, 1}}, 1<<53 + 1, "BTCUSDT"},
	}
	for _, c := range cases {
		for _, message := range []string{c.message, wrap(c.message), `{"data":` + c.message + `,"stream":"s"}`} {
			d := newBinance(t, Spot, c.trades)
			tick, seq, verdict := decodeOne(t, d, []byte(message))
			if verdict != "" {
				t.Errorf("%s: %s", c.name, verdict)
				continue
			}
			want := c.want
			want.ReceiveNs, want.Source = 77, 5
			if !sameTick(tick, want) || seq != c.seq {
				t.Errorf("%s:\n got %+v %d\nwant %+v %d", c.name, tick, seq, want, c.seq)
			}
			if got := d.symbols.At(tick.Instrument); got != (feed.Symbol{Venue: "binance", Name: c.symbol}) {
				t.Errorf("%s: %v", c.name, got)
			}
		}
	}
}

func sameTick(a, b feed.Tick) bool {
	for i := range a.F {
		if math.Float64bits(a.F[i]) != math.Float64bits(b.F[i]) {
			return false
		}
	}
	a.F, b.F = [4]float64{}, [4]float64{}
	return a == b
}

func TestBinanceVerdicts(t *testing.T) {
	without := func(message, part string) string { return strings.Replace(message, part, "", 1) }
	with := func(message, old, new string) string { return strings.Replace(message, old, new, 1) }
	cases := []struct{ trades, message, want string }{
		{"", depthDiff, "ignored depth_diff"},
		{"", wrap(depthDiff), "ignored depth_diff"},
		{"", snapshot, "ignored depth_snapshot"},
		{"", wrap(snapshot), "ignored depth_snapshot"},
		{"", aggTrade, "ignored agg_trade"},
		{"aggTrade", spotTrade, "ignored trade"},
		{"", subscribed, "ignored response"},
		{"", `{"error":{"code":2,"msg":"Invalid request"},"id":1}`, "ignored response"},
		{"", `{"e":"24hrTicker","s":"X","b":"1","a":"2"}`, "ignored ticker"},
		{"", `[{"e":"24hrMiniTicker","s":"X"},{"e":"24hrMiniTicker","s":"Y"}]`, "ignored ticker"},
		{"", wrap(`[{"e":"markPriceUpdate","s":"X"}]`), "ignored mark_price"},
		{"", `{"e":"kline","k":{}}`, "ignored kline"},
		{"", `{"e":"forceOrder","o":{}}`, "ignored liquidation"},
		{"", `{"e":"contractInfo"}`, "ignored notice"},
		{"", `{"e":"executionReport"}`, "ignored account"},

		{"", ``, "truncated"},
		{"", spotTrade[:50], "truncated"},
		{"", `ping`, "malformed"},
		{"", with(spotTrade, `BNBBTC`, "BNB\xff"), "bad_utf8"},
		{"", strings.Repeat(`{"a":`, 100), "too_deep"},
		{"", strings.Repeat(" ", feed.MessageBytesMax+1), "too_large"},
		{"", `1`, "wrong_type"},
		{"", `[1]`, "wrong_type"},
		{"", wrap(`1`), "wrong_type"},
		{"", `[]`, "unknown_kind"},
		{"", `{}`, "unknown_kind"},
		{"", `{"e":"somethingNew"}`, "unknown_kind"},
		{"", `{"e":1}`, "wrong_type"},
		{"", `{"e":null}`, "missing_field"},
		{"", `[` + spotTrade + `]`, "unsupported_kind"},
		{"", without(spotQuote, `"A":"40.66000000"`), "malformed"},
		{"", without(spotQuote, `,"A":"40.66000000"`), "unknown_kind"},
		{"", without(usdmQuote, `,"A":"2.510"`), "missing_field"},
		{"", `{"u":1,"s":"X","b":"0","B":"0","a":"0","A":"0"}`, "missing_field"},
		{"", `{"u":1,"s":"X","b":null,"B":"1","a":"1","A":"1"}`, "missing_field"},
		{"", `{"u":null,"s":"X","b":"1","B":"1","a":"1","A":"1"}`, "missing_field"},
		{"", `{"u":1,"s":null,"b":"1","B":"1","a":"1","A":"1"}`, "missing_field"},
		{"", `{"u":1,"s":"","b":"1","B":"1","a":"1","A":"1"}`, "symbol_name"},
		{"", `{"u":1,"s":1,"b":"1","B":"1","a":"1","A":"1"}`, "wrong_type"},
		{"", `{"u":1.5,"s":"X","b":"1","B":"1","a":"1","A":"1"}`, "bad_number"},
		{"", `{"u":18446744073709551616,"s":"X","b":"1","B":"1","a":"1","A":"1"}`, "bad_number"},
		{"", `{"u":1,"s":"X","b":"NaN","B":"1","a":"1","A":"1"}`, "bad_number"},
		{"", `{"u":1,"s":"X","b":"Inf","B":"1","a":"1","A":"1"}`, "bad_number"},
		{"", `{"u":1,"s":"X","b":"1e999","B":"1","a":"1","A":"1"}`, "not_finite"},
		{"", `{"u":1,"s":"X","b":"1","B":"-1","a":"1","A":"1"}`, "bad_size"},
		{"", `{"u":1,"s":"X","b":[],"B":"1","a":"1","A":"1"}`, "wrong_type"},
		{"", `{"u":1,"s":"X","b":"1","b":"1","B":"1","a":"1","A":"1"}`, "duplicate_field"},
		{"", `{"stream":"a","stream":"b","data":` + spotQuote + `}`, "duplicate_field"},
		{"", without(spotTrade, `"p":"0.001",`), "missing_field"},
		{"", without(spotTrade, `"q":"100",`), "missing_field"},
		{"", without(spotTrade, `"t":12345,`), "missing_field"},
		{"", without(spotTrade, `"T":1672515782135,`), "missing_field"},
		{"", without(spotTrade, `"m":true,`), "missing_field"},
		{"", without(spotTrade, `"s":"BNBBTC",`), "missing_field"},
		{"", with(spotTrade, `"m":true`, `"m":1`), "wrong_type"},
		{"", with(spotTrade, `"q":"100"`, `"q":"-100"`), "bad_size"},
		{"", with(spotTrade, `"T":1672515782135`, `"T":1672515782135000`), "bad_time"},
		{"", with(spotTrade, `"T":1672515782135`, `"T":-1`), "bad_number"},
		{"", with(spotTrade, `"b":88`, `"b":088`), "malformed"},
		{"", with(spotTrade, `"M":true`, `"M":[01]`), "malformed"},
		{"", with(usdmTrade, `"X":"MARKET"`, `"X":"NA"`), "na_print"},
		{"", with(with(usdmTrade, `"X":"MARKET"`, `"X":"NA"`), `"p":"61800.30"`, `"p":"0"`), "na_print"},
		{"", with(with(usdmTrade, `"q":"0.006"`, `"q":"0.000"`), `"p":"61800.30"`, `"p":"0.00"`), "na_print"},
		{"", with(usdmTrade, `"X":"MARKET"`, `"X":1`), "wrong_type"},
	}
	for _, c := range cases {
		_, _, verdict := decodeOne(t, newBinance(t, USDM, c.trades), []byte(c.message))
		if verdict != c.want {
			t.Errorf("%.100q: %q, want %q", c.message, verdict, c.want)
		}
	}
}

func TestBinanceOptions(t *testing.T) {
	if _, err := NewBinance(Spot, feed.DecoderOptions{Trades: "both"}); !errors.Is(err, ErrTrades) || !strings.Contains(err.Error(), "both") {
		t.Error(err)
	}
	for venue, d := range map[string]*Binance{
		"binance":      newBinance(t, Spot, ""),
		"binance-usdm": newBinance(t, USDM, ""),
	} {
		if decodeOne(t, d, []byte(usdmTrade)); d.symbols.At(0).Venue != venue {
			t.Errorf("%s: %v", venue, d.symbols.At(0))
		}
	}
	d, _ := NewBinance(Spot, feed.DecoderOptions{Symbols: feed.NewSymbols(1), Venue: "mine"})
	if decodeOne(t, d, []byte(usdmTrade)); d.symbols.At(0).Venue != "mine" {
		t.Error(d.symbols.At(0))
	}
	if _, _, verdict := decodeOne(t, d, []byte(spotTrade)); verdict != "too_many_symbols" {
		t.Error(verdict)
	}
}

func TestBinanceWaitsForASlot(t *testing.T) {
	d := newBinance(t, Spot, "")
	message := []byte(spotTrade)
	var full feed.Batch
	if !d.Decode(message, 77, &full) || !d.More(&full) {
		t.Fatal("done without a slot")
	}
	batch := feed.Batch{Ticks: make([]feed.Tick, 1), VenueSeq: make([]uint64, 1)}
	if d.More(&batch) || batch.N != 1 || batch.Ticks[0].F[0] != 0.001 || batch.VenueSeq[0] != 12345 || batch.Ticks[0].ReceiveNs != 77 {
		t.Fatalf("%+v", batch)
	}
	batch.N = 0
	if d.More(&batch) || batch.N != 0 {
		t.Fatal("the same tick twice")
	}
	d.Decode(message, 78, &full)
	if d.Decode([]byte(depthDiff), 79, &batch) || d.More(&batch) || batch.N != 0 {
		t.Fatal("an abandoned tick came back")
	}
	if c := d.Stats().Counts(); c.Messages != 3 || c.Settled() != 3 || c.Ticks != 1 {
		t.Errorf("%+v", c)
	}
}

func TestBinanceAllocatesNothing(t *testing.T) {
	d := newBinance(t, USDM, "")
	batch := feed.Batch{Ticks: make([]feed.Tick, 1), VenueSeq: make([]uint64, 1)}
	messages := [][]byte{[]byte(wrap(spotQuote)), []byte(usdmQuote), []byte(wrap(usdmTrade)), []byte(depthDiff), []byte(snapshot), []byte(`{"e":"x"}`)}
	decode := func() {
		for _, message := range messages {
			batch.N = 0
			d.Decode(message, 1, &batch)
		}
	}
	decode()
	if n := testing.AllocsPerRun(200, decode); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkBinanceBookTicker(b *testing.B) {
	d := newBinance(b, USDM, "")
	batch := feed.Batch{Ticks: make([]feed.Tick, 1), VenueSeq: make([]uint64, 1)}
	message := []byte(wrap(usdmQuote))
	b.ReportAllocs()
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		batch.N = 0
		d.Decode(message, 1, &batch)
	}
	if batch.N != 1 {
		b.Fatal("not decoded")
	}
}
