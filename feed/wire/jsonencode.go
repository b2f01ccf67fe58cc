package wire

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/sigengine/sigengine/feed"
)

// AppendJSON appends a tick to text as a native JSON object and returns it. venueSeq 0 is none. Seq,
// ReceiveNs, Source and Instrument are not written; symbol names the instrument, and is ignored for a Gap of
// all instruments. A JSONDecoder makes the same tick of it; a gap's reason always becomes GapDeclared.
//
// Error: ErrTick, with text as it was given.
func AppendJSON(text []byte, symbol feed.Symbol, tick feed.Tick, venueSeq uint64) ([]byte, error) {
	why := valid(&tick)
	named := tick.Kind != feed.KindGap || tick.Instrument != feed.AllInstruments
	if why == feed.RejectNone && named {
		why = validSymbol(symbol)
	}
	if why != feed.RejectNone {
		return text, fmt.Errorf("%w: %s", ErrTick, why)
	}
	text = append(text, `{"type":"`...)
	text = append(append(text, tick.Kind.String()...), '"')
	if named {
		text = appendString(append(text, `,"venue":`...), symbol.Venue)
		text = appendString(append(text, `,"symbol":`...), symbol.Name)
	}
	if tick.ExchangeNs != 0 {
		text = strconv.AppendInt(append(text, `,"ts":`...), tick.ExchangeNs, 10)
	}
	if venueSeq != 0 {
		text = strconv.AppendUint(append(text, `,"seq":`...), venueSeq, 10)
	}
	for i, name := range [...]string{`,"more":true`, `,"snapshot":true`, `,"replayed":true`} {
		if tick.Flags>>i&1 != 0 {
			text = append(text, name...)
		}
	}
	return append(appendValues(text, &tick), '}'), nil
}

// appendValues appends the fields that depend on the kind.
func appendValues(text []byte, tick *feed.Tick) []byte {
	f := &tick.F
	switch tick.Kind {
	case feed.KindQuote:
		if f[0] == f[0] {
			text = appendNumber(appendNumber(text, `,"bid":`, f[0]), `,"bid_size":`, f[1])
		}
		if f[2] == f[2] {
			text = appendNumber(appendNumber(text, `,"ask":`, f[2]), `,"ask_size":`, f[3])
		}
	case feed.KindTrade:
		text = appendNumber(appendNumber(text, `,"price":`, f[0]), `,"size":`, f[1])
		switch {
		case f[2] > 0:
			text = append(text, `,"side":"buy"`...)
		case f[2] < 0:
			text = append(text, `,"side":"sell"`...)
		}
	case feed.KindDepth:
		bid, level, _ := feed.SplitDepthValue(f[0])
		side := `,"side":"ask"`
		if bid {
			side = `,"side":"bid"`
		}
		text = append(text, side...)
		if level != 0 {
			text = strconv.AppendUint(append(text, `,"level":`...), uint64(level), 10)
		}
		text = appendNumber(appendNumber(text, `,"price":`, f[1]), `,"size":`, f[2])
	case feed.KindStatus:
		text = append(append(append(text, `,"status":"`...), statusNames[int(f[0])]...), '"')
	case feed.KindGap:
		if f[1] != 0 {
			text = strconv.AppendUint(append(text, `,"lost":`...), uint64(f[1]), 10)
		}
	}
	return text
}

// appendNumber appends the shortest text that reads back as value.
func appendNumber(text []byte, name string, value float64) []byte {
	return strconv.AppendFloat(append(text, name...), value, 'g', -1, 64)
}

func appendString(text []byte, s string) []byte {
	text = append(text, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			text = append(text, '\\', c)
		case c < 0x20:
			const hex = "0123456789abcdef"
			text = append(text, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			text = append(text, c)
		}
	}
	return append(text, '"')
}

func validSymbol(symbol feed.Symbol) feed.Reject {
	switch {
	case len(symbol.Venue) == 0 || len(symbol.Venue) > feed.VenueBytesMax,
		len(symbol.Name) == 0 || len(symbol.Name) > feed.SymbolBytesMax:
		return feed.RejectSymbolName
	case !utf8.ValidString(symbol.Venue) || !utf8.ValidString(symbol.Name):
		return feed.RejectBadUTF8
	}
	return feed.RejectNone
}
