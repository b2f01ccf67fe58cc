package signal

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// JSONBytesMax bounds AppendJSON for a valid record, in bytes. A buffer of that capacity is never grown.
const JSONBytesMax = 4096

// AppendJSON appends the record as one JSON object without spaces or a newline; t may be nil (the stream copy).
//
// 64-bit integers are strings, because many readers keep numbers as float64. Undefined numbers are null; others are
// written with the fewest digits that read back to the same bits, negative zero as -0. Bytes of a name that are not UTF-8
// are written as U+FFFD. `legs` is reserved and not written.
func AppendJSON(dst []byte, b *Body, t *Trailer) []byte {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendUint(dst, uint64(Version), 10)
	dst = appendJSONName(dst, `,"partition":`, b.Partition)
	dst = append(dst, `,"gen":`...)
	dst = strconv.AppendUint(dst, uint64(b.Generation), 10)
	dst = appendJSONUint(dst, `,"seq":"`, b.Sequence)
	dst = appendJSONUint(dst, `,"out_seq":"`, b.OutputSequence)
	dst = appendJSONName(dst, `,"signal":`, b.Signal)
	dst = appendJSONName(dst, `,"venue":`, b.Venue)
	dst = appendJSONName(dst, `,"symbol":`, b.Symbol)
	dst = appendJSONInt(dst, `,"exchange_ns":"`, b.ExchangeNs)
	dst = appendJSONInt(dst, `,"engine_ns":"`, b.EngineNs)
	dst = append(dst, `,"action":"`...)
	dst = append(dst, b.Action.String()...)
	dst = append(dst, '"')
	dst = appendJSONFloat(dst, `,"value":`, b.Value)
	dst = appendJSONFloat(dst, `,"side":`, b.Side)
	dst = appendJSONFloat(dst, `,"strength":`, b.Strength)
	dst = appendJSONInt(dst, `,"horizon_ns":"`, b.HorizonNs)
	dst = appendJSONInt(dst, `,"valid_until_ns":"`, b.ValidUntilNs)
	dst = appendJSONFloat(dst, `,"bid":`, b.Bid)
	dst = appendJSONFloat(dst, `,"ask":`, b.Ask)
	dst = appendJSONFloat(dst, `,"last":`, b.Last)
	dst = appendJSONFlags(dst, b.Flags)
	dst = appendJSONReason(dst, b.Reason)
	if t != nil {
		dst = appendJSONName(dst, `,"instance":`, t.Instance)
		dst = appendJSONUint(dst, `,"epoch":"`, t.Epoch)
		dst = appendJSONInt(dst, `,"publish_ns":"`, t.PublishNs)
		dst = appendJSONInt(dst, `,"latency_ns":"`, t.LatencyNs)
	}
	return append(dst, '}')
}

func appendJSONUint(dst []byte, key string, v uint64) []byte {
	return append(strconv.AppendUint(append(dst, key...), v, 10), '"')
}

func appendJSONInt(dst []byte, key string, v int64) []byte {
	return append(strconv.AppendInt(append(dst, key...), v, 10), '"')
}

// appendJSONFloat writes plain decimals between 1e-6 and 1e21 and an exponent outside, as ECMAScript does.
func appendJSONFloat(dst []byte, key string, v float64) []byte {
	dst = append(dst, key...)
	if IsUndefined(v) {
		return append(dst, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, v, format, -1, 64)
}

func appendJSONFlags(dst []byte, f Flags) []byte {
	dst = append(dst, `,"flags":[`...)
	open := len(dst)
	for bit, name := range flagNames {
		if f&(1<<bit) != 0 {
			dst = appendJSONItem(dst, open, name)
		}
	}
	if f&^flagsNamed != 0 {
		dst = appendJSONItem(dst, open, flagUnknownName)
	}
	return append(dst, ']')
}

func appendJSONItem(dst []byte, open int, item string) []byte {
	if len(dst) > open {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), item...), '"')
}

func appendJSONReason(dst []byte, r Reason) []byte {
	dst = append(dst, `,"reason":`...)
	if r == ReasonNone {
		return append(dst, "null"...)
	}
	return append(append(append(dst, '"'), r.String()...), '"')
}

const hexLower = "0123456789abcdef"

func appendJSONName(dst []byte, key, name string) []byte {
	dst = append(append(dst, key...), '"')
	for i := 0; i < len(name); {
		c := name[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(name[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, `\ufffd`...)
			} else {
				dst = append(dst, name[i:i+size]...)
			}
			i += size
			continue
		}
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hexLower[c>>4], hexLower[c&15])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return append(dst, '"')
}
