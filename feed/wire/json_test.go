package wire

import (
	"math"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

var nan = feed.NaN()

// failer is what testing.TB and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// decoded is what a decoder with enough room made of one message.
type decoded struct {
	ticks   []feed.Tick
	seqs    []uint64
	symbols *feed.Symbols
	counts  feed.DecodeCounts
}

func decodeJSON(t failer, message string) decoded {
	t.Helper()
	symbols := feed.NewSymbols(64)
	d := NewJSONDecoder(feed.DecoderOptions{Source: 3, Symbols: symbols})
	return decodeAll(t, d, symbols, []byte(message))
}

func decodeAll(t failer, d feed.Decoder, symbols *feed.Symbols, message []byte) decoded {
	t.Helper()
	room := len(message)/16 + 1
	batch := feed.Batch{Ticks: make([]feed.Tick, room), VenueSeq: make([]uint64, room)}
	if d.Decode(message, 77, &batch) {
		t.Fatal("more ticks than bytes allow")
	}
	counts := d.Stats().Counts()
	if counts.Settled() != counts.Messages {
		t.Fatalf("%d messages, %d verdicts", counts.Messages, counts.Settled())
	}
	return decoded{batch.Ticks[:batch.N], batch.VenueSeq[:batch.N], symbols, counts}
}

// sameTick compares ticks to the bit.
func sameTick(a, b feed.Tick) bool {
	for i := range a.F {
		if math.Float64bits(a.F[i]) != math.Float64bits(b.F[i]) {
			return false
		}
	}
	a.F, b.F = [4]float64{}, [4]float64{}
	return a == b
}

func TestJSONTicks(t *testing.T) {
	tick := func(kind feed.Kind, ns int64, flags feed.Flags, f ...float64) feed.Tick {
		tick := feed.Tick{ExchangeNs: ns, ReceiveNs: 77, Kind: kind, Flags: flags, Source: 3}
		copy(tick.F[:], f)
		return tick
	}
	cases := []struct {
		name, message string
		want          feed.Tick
		seq           uint64
	}{
		{
			"quote, bare numbers", `{"type":"quote","venue":"v","symbol":"s","ts":1723161256313000001,"seq":7,"bid":61800.20,"bid_size":2.507,"ask":61800.30,"ask_size":2.510}`,
			tick(feed.KindQuote, 1723161256313000001, 0, 61800.20, 2.507, 61800.30, 2.51), 7,
		},
		{
			"quote, strings", `{"type":"quote","venue":"v","symbol":"s","ts":"1723161256313000001","seq":"7","bid":"61800.20","bid_size":"2.507","ask":"61800.30","ask_size":"2.510"}`,
			tick(feed.KindQuote, 1723161256313000001, 0, 61800.20, 2.507, 61800.30, 2.51), 7,
		},
		{
			"exponents", `{"type":"quote","venue":"v","symbol":"s","bid":3.5e-7,"bid_size":"1E+3","ask":"9.9E-7","ask_size":2e2}`,
			tick(feed.KindQuote, 0, 0, 3.5e-7, 1000, 9.9e-7, 200), 0,
		},
		{"no ask", `{"type":"quote","venue":"v","symbol":"s","bid":1,"bid_size":2}`, tick(feed.KindQuote, 0, 0, 1, 2, nan, 0), 0},
		{"null bid, zero size", `{"type":"quote","venue":"v","symbol":"s","bid":null,"bid_size":0,"ask":1,"ask_size":2}`, tick(feed.KindQuote, 0, 0, nan, 0, 1, 2), 0},
		{"zero and negative prices", `{"type":"quote","venue":"v","symbol":"s","bid":-37.63,"bid_size":1,"ask":0,"ask_size":1}`, tick(feed.KindQuote, 0, 0, -37.63, 1, 0, 1), 0},
		{"crossed", `{"type":"quote","venue":"v","symbol":"s","bid":2,"bid_size":1,"ask":1,"ask_size":1}`, tick(feed.KindQuote, 0, 0, 2, 1, 1, 1), 0},
		{"locked", `{"type":"quote","venue":"v","symbol":"s","bid":2,"bid_size":1,"ask":2,"ask_size":1}`, tick(feed.KindQuote, 0, 0, 2, 1, 2, 1), 0},
		{"id beyond 2^53", `{"type":"gap","venue":"v","symbol":"s","seq":9007199254740993}`, tick(feed.KindGap, 0, 0, 5), 1<<53 + 1},
		{"id beyond 2^63", `{"type":"gap","venue":"v","symbol":"s","seq":18446744073709551615}`, tick(feed.KindGap, 0, 0, 5), math.MaxUint64},
		{"id as string", `{"type":"gap","venue":"v","symbol":"s","seq":"18446744073709551615","lost":"12"}`, tick(feed.KindGap, 0, 0, 5, 12), math.MaxUint64},
		{"nulls are absence", `{"type":"trade","venue":"v","symbol":"s","ts":null,"seq":null,"more":null,"side":null,"price":1,"size":2}`, tick(feed.KindTrade, 0, 0, 1, 2, 0), 0},
		{"buy", `{"type":"trade","venue":"v","symbol":"s","price":1,"size":2,"side":"buy"}`, tick(feed.KindTrade, 0, 0, 1, 2, 1), 0},
		{"sell", `{"type":"trade","venue":"v","symbol":"s","price":1,"size":2,"side":"sell"}`, tick(feed.KindTrade, 0, 0, 1, 2, -1), 0},
		{"flags", `{"type":"trade","venue":"v","symbol":"s","price":1,"size":2,"more":true,"snapshot":true,"replayed":true}`, tick(feed.KindTrade, 0, 7, 1, 2), 0},
		{"flags false", `{"type":"trade","venue":"v","symbol":"s","price":1,"size":2,"more":false}`, tick(feed.KindTrade, 0, 0, 1, 2), 0},
		{"depth by price", `{"type":"depth","venue":"v","symbol":"s","side":"bid","price":1,"size":0}`, tick(feed.KindDepth, 0, 0, 1, 1, 0), 0},
		{"depth by level", `{"type":"depth","venue":"v","symbol":"s","side":"ask","level":3,"price":1,"size":2}`, tick(feed.KindDepth, 0, 0, -4, 1, 2), 0},
		{"halt", `{"type":"status","venue":"v","symbol":"s","status":"halt"}`, tick(feed.KindStatus, 0, 0, 1), 0},
		{"reset", `{"type":"status","venue":"v","symbol":"s","status":"reset"}`, tick(feed.KindStatus, 0, 0, 5), 0},
		{"extra fields", `{"note":{"a":[1,2,{"b":null}]},"type":"trade","venue":"v","symbol":"s","price":1,"size":2,"bid":"not read","x":1.5}`, tick(feed.KindTrade, 0, 0, 1, 2), 0},
		{"white space and escapes", "\n{ \"t\\u0079pe\" : \"tr\\u0061de\" ,\t\"venue\":\"v\",\"symbol\":\"s\",\"price\":\"\\u0031\",\"size\":2 }\r\n", tick(feed.KindTrade, 0, 0, 1, 2), 0},
		{"one in an array", `[{"type":"trade","venue":"v","symbol":"s","price":1,"size":2}]`, tick(feed.KindTrade, 0, 0, 1, 2), 0},
		{"underflow is zero as strconv's", `{"type":"trade","venue":"v","symbol":"s","price":1e-400,"size":2}`, tick(feed.KindTrade, 0, 0, 0, 2), 0},
	}
	for _, c := range cases {
		got := decodeJSON(t, c.message)
		if len(got.ticks) != 1 || got.counts.Decoded != 1 {
			t.Errorf("%s: not decoded: %+v", c.name, got.counts)
			continue
		}
		if !sameTick(got.ticks[0], c.want) || got.seqs[0] != c.seq {
			t.Errorf("%s:\n got %+v, %d\nwant %+v, %d", c.name, got.ticks[0], got.seqs[0], c.want, c.seq)
		}
		if symbol := got.symbols.At(0); symbol != (feed.Symbol{Venue: "v", Name: "s"}) {
			t.Errorf("%s: symbol %v", c.name, symbol)
		}
	}
}

func TestJSONRejects(t *testing.T) {
	trade := func(fields string) string { return `{"type":"trade","venue":"v","symbol":"s",` + fields + `}` }
	quote := func(fields string) string { return `{"type":"quote","venue":"v","symbol":"s",` + fields + `}` }
	cases := []struct {
		message string
		want    feed.Reject
	}{
		{``, feed.RejectTruncated},
		{`{"type":"tra`, feed.RejectTruncated},
		{`[{"type":"trade"}`, feed.RejectTruncated},
		{`{"type":"trade"}}`, feed.RejectMalformed},
		{`hello`, feed.RejectMalformed},
		{"{\"type\":\"trade\",\"venue\":\"v\",\"symbol\":\"s\xff\",\"price\":1,\"size\":1}", feed.RejectBadUTF8},
		{`{"type":"trade","venue":"v","symbol":"\ud800","price":1,"size":1}`, feed.RejectBadUTF8},
		{strings.Repeat("[", 1000), feed.RejectTooDeep},
		{trade(`"price":1,"size":1,"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100)), feed.RejectTooDeep},
		{strings.Repeat(" ", feed.MessageBytesMax+1), feed.RejectTooLarge},
		{`1`, feed.RejectWrongType},
		{`"quote"`, feed.RejectWrongType},
		{`null`, feed.RejectWrongType},
		{`[1]`, feed.RejectWrongType},
		{`[[]]`, feed.RejectWrongType},
		{`{}`, feed.RejectMissingField},
		{`{"type":null}`, feed.RejectMissingField},
		{`{"type":1}`, feed.RejectWrongType},
		{`{"type":"quotes"}`, feed.RejectUnknownKind},
		{`{"type":"Quote"}`, feed.RejectUnknownKind},
		{`{"type":"fill"}`, feed.RejectUnsupportedKind},
		{`{"type":"control"}`, feed.RejectUnsupportedKind},
		{`{"type":"reference"}`, feed.RejectUnsupportedKind},
		{`{"type":"series"}`, feed.RejectUnsupportedKind},
		{`{"type":"heartbeat"}`, feed.RejectUnsupportedKind},
		{quote(`"ts":1`), feed.RejectMissingField},
		{quote(`"bid":null,"ask":null`), feed.RejectMissingField},
		{quote(`"bid":1`), feed.RejectMissingField},
		{quote(`"bid":1,"bid_size":1,"ask_size":1`), feed.RejectMissingField},
		{quote(`"bid":1,"bid_size":-1`), feed.RejectBadSize},
		{trade(`"price":1`), feed.RejectMissingField},
		{trade(`"size":1`), feed.RejectMissingField},
		{trade(`"price":null,"size":1`), feed.RejectMissingField},
		{trade(`"price":"","size":1`), feed.RejectBadNumber},
		{trade(`"price":"0x10","size":1`), feed.RejectBadNumber},
		{trade(`"price":"1_0","size":1`), feed.RejectBadNumber},
		{trade(`"price":"inf","size":1`), feed.RejectBadNumber},
		{trade(`"price":"NaN","size":1`), feed.RejectBadNumber},
		{trade(`"price":"+1","size":1`), feed.RejectBadNumber},
		{trade(`"price":" 1","size":1`), feed.RejectBadNumber},
		{trade(`"price":nan,"size":1`), feed.RejectMalformed},
		{trade(`"price":inf,"size":1`), feed.RejectMalformed},
		{trade(`"price":01,"size":1`), feed.RejectMalformed},
		{trade(`"price":1,"size":1,"x":01`), feed.RejectMalformed},
		{trade(`"price":1,"size":1,"x":[{"y":1.}]`), feed.RejectMalformed},
		{trade(`"price":1,"size":1,"level":01`), feed.RejectMalformed},
		{trade(`"price":1e999,"size":1`), feed.RejectNotFinite},
		{trade(`"price":"-1e999","size":1`), feed.RejectNotFinite},
		{trade(`"price":true,"size":1`), feed.RejectWrongType},
		{trade(`"price":{},"size":1`), feed.RejectWrongType},
		{trade(`"price":[1],"size":1`), feed.RejectWrongType},
		{trade(`"price":1,"size":-0.1`), feed.RejectBadSize},
		{trade(`"price":1,"size":1,"side":"b"`), feed.RejectBadSide},
		{trade(`"price":1,"size":1,"side":1`), feed.RejectWrongType},
		{trade(`"price":1,"size":1,"more":1`), feed.RejectWrongType},
		{trade(`"price":1,"size":1,"more":"true"`), feed.RejectWrongType},
		{trade(`"price":1,"price":1,"size":1`), feed.RejectDuplicateField},
		{trade(`"price":1,"size":1,"symbol":"s"`), feed.RejectDuplicateField},
		{trade(`"price":1,"size":1,"seq":null,"seq":1`), feed.RejectDuplicateField},
		{trade(`"price":1,"size":1,"\u0070rice":2`), feed.RejectDuplicateField},
		{trade(`"price":1,"size":1,"seq":-1`), feed.RejectBadNumber},
		{trade(`"price":1,"size":1,"seq":1.0`), feed.RejectBadNumber},
		{trade(`"price":1,"size":1,"seq":1e3`), feed.RejectBadNumber},
		{trade(`"price":1,"size":1,"seq":18446744073709551616`), feed.RejectBadNumber},
		{trade(`"price":1,"size":1,"seq":"12a"`), feed.RejectBadNumber},
		{trade(`"price":1,"size":1,"ts":9223372036854775808`), feed.RejectBadTime},
		{trade(`"price":1,"size":1,"ts":-1`), feed.RejectBadNumber},
		{trade(`"price":1,"size":1,"ts":"2024-08-08"`), feed.RejectBadNumber},
		{`{"type":"trade","symbol":"s","price":1,"size":1}`, feed.RejectMissingField},
		{`{"type":"trade","venue":"v","price":1,"size":1}`, feed.RejectMissingField},
		{`{"type":"trade","venue":"v","symbol":null,"price":1,"size":1}`, feed.RejectMissingField},
		{`{"type":"trade","venue":"v","symbol":"","price":1,"size":1}`, feed.RejectSymbolName},
		{`{"type":"trade","venue":"v","symbol":1,"price":1,"size":1}`, feed.RejectWrongType},
		{`{"type":"trade","venue":"v","symbol":"` + strings.Repeat("s", feed.SymbolBytesMax+1) + `","price":1,"size":1}`, feed.RejectSymbolName},
		{`{"type":"status","venue":"v","symbol":"s","status":"paused"}`, feed.RejectBadStatus},
		{`{"type":"status","venue":"v","symbol":"s"}`, feed.RejectMissingField},
		{`{"type":"status","venue":"v","status":"halt"}`, feed.RejectMissingField},
		{`{"type":"depth","venue":"v","symbol":"s","side":"buy","price":1,"size":1}`, feed.RejectBadSide},
		{`{"type":"depth","venue":"v","symbol":"s","side":"bid","level":0,"price":1,"size":1}`, feed.RejectBadSide},
		{`{"type":"depth","venue":"v","symbol":"s","side":"bid","level":65536,"price":1,"size":1}`, feed.RejectBadSide},
		{`{"type":"gap","venue":"v","symbol":"s","lost":9007199254740993}`, feed.RejectBadNumber},
	}
	for _, c := range cases {
		got := decodeJSON(t, c.message)
		if len(got.ticks) != 0 || got.counts.Rejected[c.want] != 1 || got.counts.RejectedTotal() != 1 {
			t.Errorf("%.90q: want %v, got %d ticks, rejected %v", c.message, c.want, len(got.ticks), got.counts.Rejected)
		}
		if got.symbols.Len() != 0 {
			t.Errorf("%.90q: a rejected tick took a symbol", c.message)
		}
	}
}

func TestJSONDefaultVenue(t *testing.T) {
	symbols := feed.NewSymbols(4)
	d := NewJSONDecoder(feed.DecoderOptions{Symbols: symbols, Venue: "house"})
	decodeAll(t, d, symbols, []byte(`[{"type":"trade","symbol":"a","price":1,"size":1},{"type":"trade","venue":"v","symbol":"a","price":1,"size":1}]`))
	if symbols.Len() != 2 || symbols.At(0).Venue != "house" || symbols.At(1).Venue != "v" {
		t.Errorf("%v %v", symbols.At(0), symbols.At(1))
	}
}

func TestJSONSymbolTableFull(t *testing.T) {
	symbols := feed.NewSymbols(1)
	d := NewJSONDecoder(feed.DecoderOptions{Symbols: symbols, Venue: "v"})
	got := decodeAll(t, d, symbols, []byte(`[{"type":"trade","symbol":"a","price":1,"size":1},{"type":"trade","symbol":"b","price":1,"size":1}]`))
	if len(got.ticks) != 1 || got.counts.RejectedTicks[feed.RejectTooManySymbols] != 1 {
		t.Errorf("%+v", got.counts)
	}
}

// What is malformed is counted once: a message that cannot be read, or a tick of one that can.
func TestJSONMalformedOnce(t *testing.T) {
	const good, bad = `{"type":"trade","symbol":"a","price":1,"size":1}`, `{"type":"trade","symbol":"a"}`
	for _, test := range []struct {
		message string
		want    uint64
	}{{good, 0}, {bad, 1}, {`[` + bad + `]`, 1}, {`[` + bad + `,` + bad + `]`, 2}, {`[` + good + `,` + bad + `]`, 1}, {`garbage`, 1}} {
		symbols := feed.NewSymbols(4)
		got := decodeAll(t, NewJSONDecoder(feed.DecoderOptions{Symbols: symbols, Venue: "v"}), symbols, []byte(test.message))
		var total uint64
		for reason := range feed.Reject(feed.RejectCount) {
			total += got.counts.Malformed(reason)
		}
		if total != test.want {
			t.Errorf("%s: %d malformed, want %d", test.message, total, test.want)
		}
	}
}
