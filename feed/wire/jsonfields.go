package wire

import (
	"math"

	"github.com/valyala/fastjson"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/internal/jsonin"
)

// The fields with a meaning. Any other field is passed over.
const (
	fieldType = iota
	fieldVenue
	fieldSymbol
	fieldTS
	fieldSeq
	fieldMore
	fieldSnapshot
	fieldReplayed
	fieldBid
	fieldBidSize
	fieldAsk
	fieldAskSize
	fieldPrice
	fieldSize
	fieldSide
	fieldLevel
	fieldStatus
	fieldLost
	fieldComplete // of fills alone
	fieldCount
)

// fieldSet has a bit for each field.
type fieldSet uint32

func setOf(fields ...int) fieldSet {
	set := fieldSet(0)
	for _, field := range fields {
		set |= 1 << field
	}
	return set
}

func fieldOf(key []byte) int {
	switch string(key) {
	case "type":
		return fieldType
	case "venue":
		return fieldVenue
	case "symbol":
		return fieldSymbol
	case "ts":
		return fieldTS
	case "seq":
		return fieldSeq
	case "more":
		return fieldMore
	case "snapshot":
		return fieldSnapshot
	case "replayed":
		return fieldReplayed
	case "bid":
		return fieldBid
	case "bid_size":
		return fieldBidSize
	case "ask":
		return fieldAsk
	case "ask_size":
		return fieldAskSize
	case "price":
		return fieldPrice
	case "size":
		return fieldSize
	case "side":
		return fieldSide
	case "level":
		return fieldLevel
	case "status":
		return fieldStatus
	case "lost":
		return fieldLost
	case "complete":
		return fieldComplete
	}
	return fieldCount
}

// field sorts one member of the current element.
func (d *JSONDecoder) field(key []byte, value *fastjson.Value) {
	field := fieldOf(key)
	switch {
	case field == fieldCount || field == fieldComplete && !d.fills:
		if !d.reader.Check(value) {
			d.malformed = true
		}
	case d.seen>>field&1 != 0:
		d.duplicate = true
	default:
		d.seen |= 1 << field
		if value.Type() != fastjson.TypeNull {
			d.fields[field] = value
		}
	}
}

// flags reads the three booleans.
func (d *JSONDecoder) flags(tick *feed.Tick) feed.Reject {
	why := feed.RejectNone
	for i, flag := range [...]feed.Flags{feed.FlagMore, feed.FlagSnapshot, feed.FlagReplayed} {
		value := d.fields[fieldMore+i]
		if value == nil {
			continue
		}
		set, wrong := jsonin.Bool(value)
		if wrong != feed.RejectNone {
			why = wrong
		}
		if set {
			tick.Flags |= flag
		}
	}
	return why
}

// text reads a string that has to be there.
func (d *JSONDecoder) text(field int) ([]byte, feed.Reject) {
	if d.fields[field] == nil {
		return nil, feed.RejectMissingField
	}
	return jsonin.Text(d.fields[field])
}

// number reads a number that has to be there.
func (d *JSONDecoder) number(field int) (float64, feed.Reject) {
	if d.fields[field] == nil {
		return 0, feed.RejectMissingField
	}
	return d.reader.Number(d.fields[field])
}

// size reads a number that has to be there and may not be below zero.
func (d *JSONDecoder) size(field int) (float64, feed.Reject) {
	size, why := d.number(field)
	if why == feed.RejectNone && size < 0 {
		return 0, feed.RejectBadSize
	}
	return size, why
}

// exchangeTime reads ts, nanoseconds; absent is 0.
func (d *JSONDecoder) exchangeTime() (int64, feed.Reject) {
	value := d.fields[fieldTS]
	if value == nil {
		return 0, feed.RejectNone
	}
	ns, why := d.reader.Uint(value)
	if why != feed.RejectNone {
		return 0, why
	}
	if ns > math.MaxInt64 {
		return 0, feed.RejectBadTime
	}
	return int64(ns), feed.RejectNone
}
