package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/sigengine/sigengine/feed"
)

// The reference: the schema of docs/wire.md over encoding/json and strconv, written to be plainly right.

type referenceTick struct {
	tick   feed.Tick
	symbol feed.Symbol
	seq    uint64
}

// reference decodes a message of valid JSON into its elements; nil stands for a rejected one. It has no
// notion of events, limits or the symbol table.
func reference(message []byte) []*referenceTick {
	var elements []json.RawMessage
	switch trimmed := bytes.TrimLeft(message, " \t\r\n"); trimmed[0] {
	case '[':
		if json.Unmarshal(message, &elements) != nil {
			panic("not valid JSON")
		}
	case '{':
		elements = []json.RawMessage{message}
	default:
		return []*referenceTick{nil}
	}
	ticks := make([]*referenceTick, len(elements))
	for i, element := range elements {
		ticks[i] = referenceElement(element)
	}
	return ticks
}

// members returns an object's non-null members, or false if it is no object or a known name comes twice.
func members(element json.RawMessage) (map[string]json.RawMessage, bool) {
	decoder := json.NewDecoder(bytes.NewReader(element))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	found, seen := map[string]json.RawMessage{}, map[string]bool{}
	for decoder.More() {
		key, _ := decoder.Token()
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil, false
		}
		name := key.(string)
		if seen[name] && fieldOf([]byte(name)) != fieldCount {
			return nil, false
		}
		seen[name] = true
		if string(value) != "null" {
			found[name] = value
		}
	}
	return found, true
}

type referenceReader struct {
	members map[string]json.RawMessage
	failed  bool
}

func (r *referenceReader) has(name string) bool { return r.members[name] != nil }

// digits returns the text of a number, bare or in a string.
func (r *referenceReader) digits(name string) string {
	raw := r.members[name]
	text := string(raw)
	if len(raw) > 0 && raw[0] == '"' {
		if json.Unmarshal(raw, &text) != nil {
			panic("not valid JSON")
		}
	}
	var number json.Number
	if len(text) == 0 || text[0] != '-' && (text[0] < '0' || text[0] > '9') ||
		json.Unmarshal([]byte(text), &number) != nil || number.String() != text {
		r.failed = true
	}
	return text
}

func (r *referenceReader) number(name string) float64 {
	value, err := strconv.ParseFloat(r.digits(name), 64)
	r.failed = r.failed || err != nil
	return value
}

func (r *referenceReader) size(name string) float64 {
	value := r.number(name)
	r.failed = r.failed || value < 0
	return value
}

func (r *referenceReader) integer(name string, limit uint64) uint64 {
	if !r.has(name) {
		return 0
	}
	value, err := strconv.ParseUint(r.digits(name), 10, 64)
	r.failed = r.failed || err != nil || value > limit
	return value
}

func (r *referenceReader) text(name string) (text string) {
	if r.has(name) && json.Unmarshal(r.members[name], &text) != nil {
		r.failed = true
	}
	return text
}

func (r *referenceReader) boolean(name string) (set bool) {
	if r.has(name) && json.Unmarshal(r.members[name], &set) != nil {
		r.failed = true
	}
	return set
}

func referenceElement(element json.RawMessage) *referenceTick {
	found, ok := members(element)
	if !ok {
		return nil
	}
	r := &referenceReader{members: found}
	result := &referenceTick{seq: r.integer("seq", math.MaxUint64)}
	tick := &result.tick
	tick.ExchangeNs = int64(r.integer("ts", math.MaxInt64))
	for i, name := range []string{"more", "snapshot", "replayed"} {
		if r.boolean(name) {
			tick.Flags |= 1 << i
		}
	}
	f := &tick.F
	switch r.text("type") {
	case "quote":
		tick.Kind = feed.KindQuote
		f[0], f[1] = r.side("bid", "bid_size")
		f[2], f[3] = r.side("ask", "ask_size")
		r.failed = r.failed || !r.has("bid") && !r.has("ask")
	case "trade":
		tick.Kind = feed.KindTrade
		f[0], f[1] = r.number("price"), r.size("size")
		if r.has("side") {
			f[2], ok = map[string]float64{"buy": 1, "sell": -1}[r.text("side")], true
			r.failed = r.failed || f[2] == 0
		}
	case "depth":
		tick.Kind = feed.KindDepth
		f[0] = map[string]float64{"bid": 1, "ask": -1}[r.text("side")]
		level := r.integer("level", 65535)
		r.failed = r.failed || f[0] == 0 || r.has("level") && level == 0
		f[0] *= 1 + float64(level)
		f[1], f[2] = r.number("price"), r.size("size")
	case "status":
		tick.Kind = feed.KindStatus
		f[0] = map[string]float64{"halt": 1, "resume": 2, "open": 3, "close": 4, "reset": 5}[r.text("status")]
		r.failed = r.failed || f[0] == 0
	case "gap":
		tick.Kind = feed.KindGap
		f[0], f[1] = 5, float64(r.integer("lost", 1<<53))
	default:
		return nil
	}
	result.symbol = feed.Symbol{Venue: r.text("venue"), Name: r.text("symbol")}
	if tick.Kind == feed.KindGap && !r.has("symbol") {
		tick.Instrument = feed.AllInstruments
		result.symbol = feed.Symbol{}
	} else if v, s := len(result.symbol.Venue), len(result.symbol.Name); v == 0 || v > 32 || s == 0 || s > 96 {
		return nil
	}
	if r.failed {
		return nil
	}
	return result
}

func (r *referenceReader) side(price, size string) (priceValue, sizeValue float64) {
	if r.has(price) {
		return r.number(price), r.size(size)
	}
	if r.has(size) && r.size(size) != 0 {
		r.failed = true
	}
	return feed.NaN(), 0
}

// loneSurrogate reports whether decoding a string turned half a surrogate pair into U+FFFD.
func loneSurrogate(message []byte) bool {
	return !utf8.Valid(message) || bytes.Contains(message, []byte(`\u`)) && surrogateEscapes(message)
}

// surrogateEscapes errs on the side of yes: any \uD800 to \uDFFF.
func surrogateEscapes(message []byte) bool {
	lower := bytes.ToLower(message)
	for _, digit := range "89abcdef" {
		if bytes.Contains(lower, []byte(`\ud`+string(digit))) {
			return true
		}
	}
	return false
}
