package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

var jsonSeeds = []string{
	benchQuote,
	`{"type":"quote","venue":"v","symbol":"s","ts":"1","seq":"18446744073709551615","bid":"1e-7","bid_size":"0","ask":null}`,
	`[{"type":"trade","venue":"v","symbol":"s","price":-1.5E+3,"size":2,"side":"buy","more":true},{"type":"trade"},{"type":"trade","venue":"v","symbol":"t","price":1,"size":2}]`,
	`{"type":"depth","venue":"v","symbol":"s","side":"ask","level":3,"price":1,"size":2}`,
	`{"type":"status","venue":"v","symbol":"s","status":"close"}`,
	`{"type":"gap","lost":3}`,
	`{"type":"trade","venue":"v","symbol":"caf\u00e9 \ud83d\ude00","price":"01","size":2}`,
	`{"type":"trade","venue":"v","symbol":"s","price":1e999,"size":0x1,"x":nan}`,
	`{"\u0074ype":"trade","type":"trade"}`,
	"{\"type\":\"trade\",\"venue\":\"v\",\"symbol\":\"\xff\",\"price\":1,\"size\":2}",
	`[[[[[[{}]]]]]]`, `[]`, ``, `nul`, ` `,
}

// checkAgainstReference holds the decoder against encoding/json on one message.
func checkAgainstReference(t failer, message string) {
	t.Helper()
	got := decodeJSON(t, message)
	var market []feed.Tick // without the gaps that stand for broken events
	var seqs []uint64
	for i, tick := range got.ticks {
		if why := valid(&tick); why != feed.RejectNone {
			t.Fatalf("%q: emitted a tick that is %v: %+v", message, why, tick)
		}
		if tick.Kind != feed.KindGap || tick.F[0] != float64(feed.GapRejected) {
			market, seqs = append(market, tick), append(seqs, got.seqs[i])
		}
	}
	if !json.Valid([]byte(message)) {
		// A bad number that fastjson let through rejects its element; everything else rejects the message.
		if len(market) > 0 && got.counts.RejectedTicks == [feed.RejectCount]uint64{} {
			t.Fatalf("%q: not JSON, but decoded %+v", message, market)
		}
		return
	}
	if loneSurrogate([]byte(message)) || got.counts.Rejected[feed.RejectTooDeep] != 0 {
		return
	}
	for _, want := range reference([]byte(message)) {
		if want == nil {
			continue
		}
		if len(market) == 0 {
			t.Fatalf("%q: %+v is missing; rejected %v", message, want, got.counts.RejectedTicks)
		}
		tick, symbol := market[0], feed.Symbol{}
		if tick.Instrument != feed.AllInstruments {
			symbol = got.symbols.At(tick.Instrument)
		}
		want.tick.Instrument, want.tick.ReceiveNs, want.tick.Source = tick.Instrument, 77, 3
		if !sameTick(tick, want.tick) || symbol != want.symbol || seqs[0] != want.seq {
			t.Fatalf("%q:\n got %+v %v %d\nwant %+v %v %d", message, tick, symbol, seqs[0], want.tick, want.symbol, want.seq)
		}
		market, seqs = market[1:], seqs[1:]
	}
	if len(market) > 0 {
		t.Fatalf("%q: %+v should have been rejected", message, market[0])
	}
}

func TestJSONEqualsReference(t *testing.T) {
	value := rapid.SampledFrom([]string{
		`1`, `"1"`, `0`, `-0`, `-1`, `1.5`, `"2.50"`, `1e3`, `"1E-7"`, `1e999`, `null`, `true`, `false`, `""`, `"x"`, `[]`, `{}`, `[1]`,
		`18446744073709551615`, `"9007199254740993"`, `18446744073709551616`, `9223372036854775808`, `"0x1"`, `01`, `nan`, `"buy"`, `"sell"`,
		`"bid"`, `"ask"`, `"halt"`, `"open"`, `65535`, `65536`, `"v"`, `"é\n"`, `"\u0041"`,
	})
	kind := rapid.SampledFrom([]string{`"quote"`, `"trade"`, `"depth"`, `"status"`, `"gap"`, `"fill"`, `null`, `1`})
	field := rapid.SampledFrom([]string{
		"ts", "seq", "more", "snapshot", "replayed", "bid", "bid_size", "ask", "ask_size", "price", "size", "side", "level",
		"status", "lost", "symbol", "venue", "note", "Price",
	})
	rapid.Check(t, func(t *rapid.T) {
		elements := make([]string, rapid.IntRange(1, 4).Draw(t, "elements"))
		for i := range elements {
			members := []string{`"type":` + kind.Draw(t, "kind"), `"venue":"v","symbol":"s"`, `"price":1,"size":1`}
			if rapid.Bool().Draw(t, "quote") {
				members = []string{`"type":"quote","venue":"v","symbol":"s"`, `"bid":1,"bid_size":2`}
			}
			for range rapid.IntRange(0, 4).Draw(t, "extra") {
				members = append(members, `"`+field.Draw(t, "field")+`":`+value.Draw(t, "value"))
			}
			elements[i] = "{" + strings.Join(members, ",") + "}"
		}
		checkAgainstReference(t, "["+strings.Join(elements, ",")+"]")
	})
	for _, message := range jsonSeeds {
		checkAgainstReference(t, message)
	}
}

func FuzzJSONDecoder(f *testing.F) {
	for _, message := range jsonSeeds {
		f.Add(message)
	}
	f.Fuzz(func(t *testing.T, message string) { checkAgainstReference(t, message) })
}
