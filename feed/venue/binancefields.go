package venue

import (
	"github.com/valyala/fastjson"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/internal/jsonin"
)

// The fields with a meaning, by what a quote or a single trade calls them. The same letter means other
// things in other kinds, so fields are read only once the kind is known.
const (
	fieldStream       = iota // stream
	fieldData                // data
	fieldEvent               // e
	fieldEventTime           // E
	fieldTime                // T
	fieldSymbol              // s
	fieldUpdateID            // u
	fieldBid                 // b
	fieldBidSize             // B
	fieldAsk                 // a
	fieldAskSize             // A
	fieldTradeID             // t
	fieldPrice               // p
	fieldQuantity            // q
	fieldMaker               // m
	fieldOrderType           // X
	fieldLastUpdateID        // lastUpdateId
	fieldResult              // result
	fieldError               // error
	fieldRequest             // id
	fieldCount
)

// fieldSet has a bit for each field.
type fieldSet uint32

func (s fieldSet) has(field int) bool { return s>>field&1 != 0 }

const (
	nameFields   fieldSet = 1<<fieldStream | 1<<fieldEvent | 1<<fieldEventTime | 1<<fieldTime | 1<<fieldSymbol
	bookFields   fieldSet = 1<<fieldUpdateID | 1<<fieldBid | 1<<fieldBidSize | 1<<fieldAsk | 1<<fieldAskSize
	quoteFields           = nameFields | bookFields
	tradeFields           = nameFields | 1<<fieldPrice | 1<<fieldQuantity | 1<<fieldMaker | 1<<fieldOrderType
	answerFields fieldSet = 1<<fieldResult | 1<<fieldError | 1<<fieldRequest
)

func fieldOf(key []byte) int {
	if len(key) == 1 {
		switch key[0] {
		case 'e':
			return fieldEvent
		case 'E':
			return fieldEventTime
		case 'T':
			return fieldTime
		case 's':
			return fieldSymbol
		case 'u':
			return fieldUpdateID
		case 'b':
			return fieldBid
		case 'B':
			return fieldBidSize
		case 'a':
			return fieldAsk
		case 'A':
			return fieldAskSize
		case 't':
			return fieldTradeID
		case 'p':
			return fieldPrice
		case 'q':
			return fieldQuantity
		case 'm':
			return fieldMaker
		case 'X':
			return fieldOrderType
		}
		return fieldCount
	}
	switch string(key) {
	case "stream":
		return fieldStream
	case "data":
		return fieldData
	case "lastUpdateId":
		return fieldLastUpdateID
	case "result":
		return fieldResult
	case "error":
		return fieldError
	case "id":
		return fieldRequest
	}
	return fieldCount
}

// sort notes an object's known fields in d.fields.
func (d *Binance) sort(value *fastjson.Value) feed.Reject {
	object := value.GetObject()
	if object == nil {
		return feed.RejectWrongType
	}
	d.fields = [fieldCount]*fastjson.Value{}
	d.seen, d.duplicate, d.malformed = 0, false, false
	object.Visit(d.visit)
	switch {
	case d.malformed:
		return feed.RejectMalformed
	case d.duplicate:
		return feed.RejectDuplicateField
	}
	return feed.RejectNone
}

// field sorts one member.
func (d *Binance) field(key []byte, value *fastjson.Value) {
	field := fieldOf(key)
	switch {
	case field == fieldCount:
		if !d.reader.Check(value) {
			d.malformed = true
		}
	case d.seen.has(field):
		d.duplicate = true
	default:
		d.seen |= 1 << field
		if value.Type() != fastjson.TypeNull {
			d.fields[field] = value
		}
	}
}

// unread checks the known fields that nothing else looks at.
func (d *Binance) unread(used fieldSet) feed.Reject {
	if d.seen&^used == 0 {
		return feed.RejectNone
	}
	for i, value := range d.fields {
		if value != nil && !used.has(i) && !d.reader.Check(value) {
			return feed.RejectMalformed
		}
	}
	return feed.RejectNone
}

func (d *Binance) number(field int) (float64, feed.Reject) {
	if d.fields[field] == nil {
		return 0, feed.RejectMissingField
	}
	return d.reader.Number(d.fields[field])
}

func (d *Binance) size(field int) (float64, feed.Reject) {
	size, why := d.number(field)
	if why == feed.RejectNone && size < 0 {
		return 0, feed.RejectBadSize
	}
	return size, why
}

func (d *Binance) id(field int) (uint64, feed.Reject) {
	if d.fields[field] == nil {
		return 0, feed.RejectMissingField
	}
	return d.reader.Uint(d.fields[field])
}

// What a message is, of the kinds that are decoded.
const (
	kindNone = iota
	kindQuote
	kindTrade
	kindAggTrade
)

// classify says what the sorted object is: a kind to decode, or kindNone and what becomes of it.
func (d *Binance) classify() (kind int, result outcome) {
	if !d.seen.has(fieldEvent) {
		switch {
		case d.seen.has(fieldLastUpdateID):
			return kindNone, ignoredAs(feed.IgnoredDepthSnapshot)
		case d.seen&bookFields == bookFields:
			return kindQuote, outcome{}
		case d.seen&answerFields != 0:
			return kindNone, ignoredAs(feed.IgnoredResponse)
		}
		return kindNone, rejected(feed.RejectUnknownKind)
	}
	if d.fields[fieldEvent] == nil {
		return kindNone, rejected(feed.RejectMissingField)
	}
	event, why := jsonin.Text(d.fields[fieldEvent])
	if why != feed.RejectNone {
		return kindNone, rejected(why)
	}
	switch string(event) {
	case "bookTicker":
		return kindQuote, outcome{}
	case "trade":
		if d.single {
			return kindTrade, outcome{}
		}
		return kindNone, ignoredAs(feed.IgnoredTrade)
	case "aggTrade":
		if !d.single {
			return kindAggTrade, outcome{}
		}
		return kindNone, ignoredAs(feed.IgnoredAggTrade)
	}
	if ignored, ok := ignoredEvent(event); ok {
		return kindNone, ignoredAs(ignored)
	}
	return kindNone, rejected(feed.RejectUnknownKind)
}

// ignoredEvent returns the kind of the events that are known and not taken.
func ignoredEvent(event []byte) (feed.Ignored, bool) {
	switch string(event) {
	case "depthUpdate":
		return feed.IgnoredDepthDiff, true
	case "24hrTicker", "24hrMiniTicker", "1hTicker", "4hTicker", "1dTicker", "avgPrice":
		return feed.IgnoredTicker, true
	case "kline", "continuous_kline", "indexPrice_kline", "markPrice_kline":
		return feed.IgnoredKline, true
	case "markPriceUpdate", "indexPriceUpdate", "compositeIndex":
		return feed.IgnoredMarkPrice, true
	case "forceOrder":
		return feed.IgnoredLiquidation, true
	case "contractInfo", "assetIndexUpdate", "serverShutdown":
		return feed.IgnoredNotice, true
	case "executionReport", "outboundAccountPosition", "balanceUpdate", "listStatus", "listenKeyExpired",
		"ORDER_TRADE_UPDATE", "ACCOUNT_UPDATE", "ACCOUNT_CONFIG_UPDATE", "MARGIN_CALL", "TRADE_LITE":
		return feed.IgnoredAccount, true
	}
	return 0, false
}
