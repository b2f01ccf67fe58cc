package venue

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

// text returns a JSON number or string as its text.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// expect works out by encoding/json and strconv what a genuine message should become: a tick, or the name of
// what is ignored.
func expect(t testing.TB, message []byte) (tick feed.Tick, seq uint64, symbol, ignored string) {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	if m["data"] != nil {
		message = m["data"]
		m = nil
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
	}
	number := func(name string) float64 {
		value, err := strconv.ParseFloat(text(m[name]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	integer := func(name string) uint64 {
		value, err := strconv.ParseUint(text(m[name]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	tick.ReceiveNs, tick.Source = 77, 5
	if m["T"] != nil {
		tick.ExchangeNs = int64(integer("T")) * 1e6
	}
	switch event := text(m["e"]); {
	case event == "trade":
		tick.Kind = feed.KindTrade
		tick.F = [4]float64{number("p"), number("q"), 1}
		if string(m["m"]) == "true" {
			tick.F[2] = -1
		}
		return tick, integer("t"), text(m["s"]), ""
	case event == "bookTicker" || event == "" && m["B"] != nil:
		tick.Kind = feed.KindQuote
		tick.F = [4]float64{number("b"), number("B"), number("a"), number("A")}
		return tick, integer("u"), text(m["s"]), ""
	case event == "depthUpdate":
		return tick, 0, "", "ignored depth_diff"
	case m["lastUpdateId"] != nil:
		return tick, 0, "", "ignored depth_snapshot"
	}
	t.Fatalf("unexpected message %s", message)
	return tick, 0, "", ""
}
