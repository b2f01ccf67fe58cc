package venue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

// Any prices and sizes, written any way Binance writes numbers, come out to the bit.
func TestBinanceNumbersExact(t *testing.T) {
	d := newBinance(t, USDM, "")
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, low float64) (float64, string) {
			value := rapid.Float64Range(low, 1e12).Draw(t, name)
			form := rapid.SampledFrom([]string{`%.8f`, `"%.8f"`, `%v`, `"%v"`, `"%e"`}).Draw(t, name+" form")
			text := fmt.Sprintf(form, value)
			value, err := strconv.ParseFloat(trim(text), 64)
			if err != nil {
				t.Fatal(err)
			}
			return value, text
		}
		price, priceText := number("price", -1e6)
		size, sizeText := number("size", 0)
		if price == 0 && size == 0 {
			t.Skip("an NA print drawn")
		}
		id := rapid.Uint64().Draw(t, "id")
		ms := rapid.Uint64Range(0, math.MaxInt64/1_000_000).Draw(t, "ms")
		maker := rapid.Bool().Draw(t, "maker")
		message := fmt.Sprintf(`{"e":"trade","E":1,"T":%d,"s":"S","t":%d,"p":%s,"q":%s,"X":"MARKET","m":%t}`, ms, id, priceText, sizeText, maker)
		tick, seq, verdict := decodeOne(t, d, []byte(message))
		want := feed.Tick{ExchangeNs: int64(ms) * 1_000_000, ReceiveNs: 77, Kind: feed.KindTrade, Source: 5, F: [4]float64{price, size, 1}}
		if maker {
			want.F[2] = -1
		}
		if verdict != "" || !sameTick(tick, want) || seq != id {
			t.Fatalf("%s: %s\n got %+v %d\nwant %+v %d", message, verdict, tick, seq, want, id)
		}
	})
}

func trim(text string) string {
	if text[0] == '"' {
		return text[1 : len(text)-1]
	}
	return text
}

// FuzzBinance holds for any bytes: one verdict, the wrapper changes nothing, what is decoded is JSON whose
// numbers encoding/json and strconv read the same, and nothing that is not finite comes out.
func FuzzBinance(f *testing.F) {
	for _, message := range []string{
		spotQuote, usdmQuote, spotTrade, usdmTrade, aggTrade, depthDiff, snapshot, subscribed, wrap(usdmTrade), ``, `[]`, `[{}]`, `null`, `null `,
		`{"u":1,"s":"X","b":"0","B":"0","a":1e-7,"A":"2"}`, `{"e":"trade","\u0065":"x"}`,
	} {
		f.Add([]byte(message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		tick, seq, verdict := decodeOne(t, newBinance(t, Spot, ""), message)
		// A wrapper around null is one without data, which is wrong in a way of its own.
		if len(message) < 4000 && json.Valid(message) && string(bytes.TrimSpace(message)) != "null" {
			again, seqAgain, verdictAgain := decodeOne(t, newBinance(t, Spot, ""), []byte(wrap(string(message))))
			var m map[string]json.RawMessage
			nested := json.Unmarshal(message, &m) == nil && m["data"] != nil && m["stream"] != nil
			if !nested && verdict != "too_deep" && verdictAgain != "too_deep" && (verdict != verdictAgain || verdict == "" && (!sameTick(tick, again) || seq != seqAgain)) {
				t.Fatalf("%q: %q, wrapped %q", message, verdict, verdictAgain)
			}
		}
		if verdict != "" {
			return
		}
		if !json.Valid(message) {
			t.Fatalf("%q: not JSON, but decoded", message)
		}
		for i, value := range tick.F {
			if math.IsInf(value, 0) || math.IsNaN(value) && (tick.Kind != feed.KindQuote || i%2 != 0 || math.Float64bits(value) != feed.CanonicalNaN) {
				t.Fatalf("%q: %+v", message, tick)
			}
		}
		checkNumbers(t, message, tick, seq)
	})
}

// checkNumbers compares a decoded message with expect, where encoding/json can stand in: plain names.
func checkNumbers(t *testing.T, message []byte, tick feed.Tick, seq uint64) {
	var m map[string]json.RawMessage
	if json.Unmarshal(message, &m) != nil || m["data"] != nil || m["E"] != nil && m["T"] == nil {
		return
	}
	for _, name := range []string{"b", "B", "a", "A"} {
		if raw := m[name]; tick.Kind == feed.KindQuote && (raw == nil || string(raw) == "null") {
			return
		}
	}
	want, wantSeq, _, ignored := expect(t, message)
	if tick.Kind == feed.KindQuote {
		for i := 0; i < 4; i += 2 {
			if want.F[i] == 0 && want.F[i+1] == 0 {
				want.F[i], want.F[i+1] = nan, 0
			}
		}
	}
	want.Instrument = tick.Instrument
	if ignored != "" || !sameTick(tick, want) || seq != wantSeq {
		t.Fatalf("%q:\n got %+v %d\nwant %+v %d", message, tick, seq, want, wantSeq)
	}
}
