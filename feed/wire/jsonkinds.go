package wire

import (
	"github.com/sigengine/sigengine/feed"
)

// jsonKind is how one kind of tick is read.
type jsonKind struct {
	kind   feed.Kind
	fields fieldSet // those that reading looks at, common ones included
	read   func(*JSONDecoder, *feed.Tick) feed.Reject
}

var commonFields = setOf(fieldType, fieldVenue, fieldSymbol, fieldTS, fieldSeq, fieldMore, fieldSnapshot, fieldReplayed)

var (
	jsonQuote  = jsonKind{feed.KindQuote, commonFields | setOf(fieldBid, fieldBidSize, fieldAsk, fieldAskSize), (*JSONDecoder).quote}
	jsonTrade  = jsonKind{feed.KindTrade, commonFields | setOf(fieldPrice, fieldSize, fieldSide), (*JSONDecoder).trade}
	jsonDepth  = jsonKind{feed.KindDepth, commonFields | setOf(fieldSide, fieldLevel, fieldPrice, fieldSize), (*JSONDecoder).depth}
	jsonStatus = jsonKind{feed.KindStatus, commonFields | setOf(fieldStatus), (*JSONDecoder).status}
	jsonGap    = jsonKind{feed.KindGap, commonFields | setOf(fieldLost), (*JSONDecoder).gap}
)

// kind returns how to read the current element.
func (d *JSONDecoder) kind() (*jsonKind, feed.Reject) {
	name, why := d.text(fieldType)
	if why != feed.RejectNone {
		return nil, why
	}
	if d.fills {
		return d.fillKind(name)
	}
	switch string(name) {
	case "quote":
		return &jsonQuote, feed.RejectNone
	case "trade":
		return &jsonTrade, feed.RejectNone
	case "depth":
		return &jsonDepth, feed.RejectNone
	case "status":
		return &jsonStatus, feed.RejectNone
	case "gap":
		return &jsonGap, feed.RejectNone
	case "heartbeat", "reference", "series", "fill", "control":
		return nil, feed.RejectUnsupportedKind
	}
	return nil, feed.RejectUnknownKind
}

func (d *JSONDecoder) quote(tick *feed.Tick) (why feed.Reject) {
	if d.fields[fieldBid] == nil && d.fields[fieldAsk] == nil {
		return feed.RejectMissingField
	}
	if tick.F[0], tick.F[1], why = d.side(fieldBid, fieldBidSize); why != feed.RejectNone {
		return why
	}
	tick.F[2], tick.F[3], why = d.side(fieldAsk, fieldAskSize)
	return why
}

// side reads one side of a quote. A side without a price is no quote, and may have no size but zero.
func (d *JSONDecoder) side(price, size int) (priceValue, sizeValue float64, why feed.Reject) {
	if d.fields[price] == nil {
		if d.fields[size] == nil {
			return feed.NaN(), 0, feed.RejectNone
		}
		sizeValue, why = d.size(size)
		if why == feed.RejectNone && sizeValue != 0 {
			why = feed.RejectMissingField
		}
		return feed.NaN(), 0, why
	}
	if priceValue, why = d.reader.Number(d.fields[price]); why != feed.RejectNone {
		return 0, 0, why
	}
	sizeValue, why = d.size(size)
	return priceValue, sizeValue, why
}

func (d *JSONDecoder) trade(tick *feed.Tick) (why feed.Reject) {
	if tick.F[0], why = d.number(fieldPrice); why != feed.RejectNone {
		return why
	}
	if tick.F[1], why = d.size(fieldSize); why != feed.RejectNone {
		return why
	}
	if d.fields[fieldSide] == nil {
		return feed.RejectNone // aggressor unknown
	}
	side, why := d.text(fieldSide)
	if why != feed.RejectNone {
		return why
	}
	switch string(side) {
	case "buy":
		tick.F[2] = 1
	case "sell":
		tick.F[2] = -1
	default:
		return feed.RejectBadSide
	}
	return feed.RejectNone
}

func (d *JSONDecoder) depth(tick *feed.Tick) feed.Reject {
	side, why := d.text(fieldSide)
	if why != feed.RejectNone {
		return why
	}
	bid := string(side) == "bid"
	if !bid && string(side) != "ask" {
		return feed.RejectBadSide
	}
	var level uint64
	if value := d.fields[fieldLevel]; value != nil {
		if level, why = d.reader.Uint(value); why != feed.RejectNone {
			return why
		}
		if level == 0 || level > feed.DepthLevelMax {
			return feed.RejectBadSide
		}
	}
	tick.F[0] = feed.DepthValue(bid, uint16(level))
	if tick.F[1], why = d.number(fieldPrice); why != feed.RejectNone {
		return why
	}
	tick.F[2], why = d.size(fieldSize)
	return why
}

// statusNames are the values of the field status, at the value of feed.Status.
var statusNames = [...]string{feed.StatusHalt: "halt", feed.StatusResume: "resume", feed.StatusOpen: "open", feed.StatusClose: "close", feed.StatusReset: "reset"}

func (d *JSONDecoder) status(tick *feed.Tick) feed.Reject {
	name, why := d.text(fieldStatus)
	if why != feed.RejectNone {
		return why
	}
	for status := feed.StatusHalt; int(status) < len(statusNames); status++ {
		if string(name) == statusNames[status] {
			tick.F[0] = float64(status)
			return feed.RejectNone
		}
	}
	return feed.RejectBadStatus
}

func (d *JSONDecoder) gap(tick *feed.Tick) feed.Reject {
	tick.F[0] = float64(feed.GapDeclared)
	if value := d.fields[fieldLost]; value != nil {
		lost, why := d.reader.Uint(value)
		if why == feed.RejectNone && lost > lostMax {
			why = feed.RejectBadNumber
		}
		tick.F[1] = float64(lost)
		return why
	}
	return feed.RejectNone
}
