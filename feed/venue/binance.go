package venue

import (
	"errors"
	"fmt"
	"math"

	"github.com/valyala/fastjson"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/internal/jsonin"
)

// Market is one of Binance's markets. Their messages differ a little.
type Market uint8

// The markets.
const (
	Spot Market = iota
	USDM        // USD-margined futures
)

// Venue names of the markets, unless DecoderOptions.Venue says otherwise.
const (
	BinanceSpotVenue = "binance"
	BinanceUSDMVenue = "binance-usdm"
)

// ErrTrades: DecoderOptions.Trades names no kind of trade.
var ErrTrades = errors.New("venue: trades must be \"" + feed.TradesSingle + "\" or \"" + feed.TradesAggregate + "\"")

// Binance decodes messages of Binance's websocket streams, bare or in the combined wrapper
// {"stream":…,"data":…}: bookTicker to quotes, trade or aggTrade to trades. All else is ignored by kind.
//
//   - Exchange time is T (the matching engine's), else E, milliseconds made nanoseconds; spot's bookTicker has
//     none: 0. Streams asked for in microseconds are rejected as bad_time.
//   - The side column is u of a bookTicker, t of a trade, a of an aggTrade.
//   - m true means that the buyer was the maker: a sell.
//   - A side of a bookTicker at price 0 with size 0, or null, is no quote.
//   - A trade with X "NA", or at price 0 with quantity 0, is none: na_print.
type Binance struct {
	source  uint16
	venue   []byte
	symbols *feed.Symbols
	single  bool // take trade, not aggTrade
	stats   feed.DecodeStats

	reader jsonin.Reader

	fields    [fieldCount]*fastjson.Value // of the current object; null is nil
	seen      fieldSet                    // of the current object, null included
	duplicate bool
	malformed bool
	pending   bool      // held is a tick that found no slot
	held      feed.Tick // with heldSeq for the side column
	heldSeq   uint64
	visit     func(key []byte, value *fastjson.Value)
}

var _ feed.Decoder = (*Binance)(nil)

// NewBinance returns a decoder of one market. Options: Source, Symbols, Venue, Trades. Error: ErrTrades.
func NewBinance(market Market, options feed.DecoderOptions) (*Binance, error) {
	d := &Binance{source: options.Source, symbols: options.Symbols}
	switch options.Trades {
	case "", feed.TradesSingle:
		d.single = true
	case feed.TradesAggregate:
	default:
		return nil, fmt.Errorf("%w, not %q", ErrTrades, options.Trades)
	}
	switch {
	case options.Venue != "":
		d.venue = []byte(options.Venue)
	case market == USDM:
		d.venue = []byte(BinanceUSDMVenue)
	default:
		d.venue = []byte(BinanceSpotVenue)
	}
	d.visit = d.field
	return d, nil
}

// Stats returns the decoder's counters.
func (d *Binance) Stats() *feed.DecodeStats { return &d.stats }

// Decode decodes a message. If batch is full, its tick is kept for More. See feed.Decoder.
func (d *Binance) Decode(message []byte, receiveNs int64, batch *feed.Batch) bool {
	d.stats.Begin()
	full := batch.N == len(batch.Ticks)
	tick := &d.held
	if !full {
		tick = &batch.Ticks[batch.N]
	}
	*tick = feed.Tick{ReceiveNs: receiveNs, Source: d.source}
	result := d.read(message, tick)
	d.pending = false
	switch {
	case result.ignored:
		d.stats.Ignored(result.kind)
		return false
	case result.why != feed.RejectNone:
		d.stats.Rejected(result.why)
		return false
	}
	d.stats.Decoded()
	if full {
		d.heldSeq, d.pending = result.sequence, true
		return true
	}
	d.emit(batch, result.sequence)
	return false
}

// More hands over the tick for which Decode had no slot. See feed.Decoder.
func (d *Binance) More(batch *feed.Batch) bool {
	if !d.pending {
		return false
	}
	if batch.N == len(batch.Ticks) {
		return true
	}
	d.pending = false
	batch.Ticks[batch.N] = d.held
	d.emit(batch, d.heldSeq)
	return false
}

// emit completes the batch's next slot, whose tick is already there.
func (d *Binance) emit(batch *feed.Batch, sequence uint64) {
	if batch.VenueSeq != nil {
		batch.VenueSeq[batch.N] = sequence
	}
	batch.N++
	d.stats.Ticks(1)
}

// outcome is what became of a message: a tick, a kind that is not taken, or a reason.
type outcome struct {
	sequence uint64
	ignored  bool
	kind     feed.Ignored
	why      feed.Reject
}

func rejected(why feed.Reject) outcome             { return outcome{why: why} }
func ignoredAs(kind feed.Ignored) outcome          { return outcome{ignored: true, kind: kind} }
func sequenced(id uint64, why feed.Reject) outcome { return outcome{sequence: id, why: why} }

// read decodes a message into tick.
func (d *Binance) read(message []byte, tick *feed.Tick) outcome {
	value, why := d.reader.Parse(message)
	if why != feed.RejectNone {
		return rejected(why)
	}
	list := value.Type() == fastjson.TypeArray
	if !list {
		if why = d.sort(value); why != feed.RejectNone {
			return rejected(why)
		}
		if data := d.fields[fieldData]; data != nil && d.seen.has(fieldStream) {
			value, list = data, data.Type() == fastjson.TypeArray
			if !list {
				if why = d.sort(data); why != feed.RejectNone {
					return rejected(why)
				}
			}
		}
	}
	if list {
		return d.list(value.GetArray())
	}
	kind, result := d.classify()
	switch kind {
	case kindQuote:
		return sequenced(d.quote(tick))
	case kindTrade:
		return sequenced(d.trade(tick, fieldTradeID))
	case kindAggTrade:
		return sequenced(d.trade(tick, fieldAsk)) // its id is named a, like the ask
	}
	return result
}

// list ignores an array of messages of an ignored kind, such as all tickers; the first speaks for all.
// Binance sends no trades or quotes in arrays.
func (d *Binance) list(elements []*fastjson.Value) outcome {
	if len(elements) == 0 {
		return rejected(feed.RejectUnknownKind)
	}
	if why := d.sort(elements[0]); why != feed.RejectNone {
		return rejected(why)
	}
	kind, result := d.classify()
	if kind != kindNone {
		return rejected(feed.RejectUnsupportedKind)
	}
	return result
}

func (d *Binance) quote(tick *feed.Tick) (sequence uint64, why feed.Reject) {
	tick.Kind = feed.KindQuote
	if tick.F[0], tick.F[1], why = d.side(fieldBid, fieldBidSize); why != feed.RejectNone {
		return 0, why
	}
	if tick.F[2], tick.F[3], why = d.side(fieldAsk, fieldAskSize); why != feed.RejectNone {
		return 0, why
	}
	if tick.F[0] != tick.F[0] && tick.F[2] != tick.F[2] {
		return 0, feed.RejectMissingField
	}
	if sequence, why = d.id(fieldUpdateID); why != feed.RejectNone {
		return 0, why
	}
	return sequence, d.common(tick, quoteFields)
}

// side reads one side of a quote; without a price, or with price and size zero, it is no quote.
func (d *Binance) side(price, size int) (priceValue, sizeValue float64, why feed.Reject) {
	if d.fields[price] != nil {
		if priceValue, why = d.reader.Number(d.fields[price]); why != feed.RejectNone {
			return 0, 0, why
		}
	}
	if d.fields[size] != nil || d.fields[price] != nil {
		if sizeValue, why = d.size(size); why != feed.RejectNone {
			return 0, 0, why
		}
	}
	switch {
	case priceValue == 0 && sizeValue == 0:
		return feed.NaN(), 0, feed.RejectNone
	case d.fields[price] == nil:
		return 0, 0, feed.RejectMissingField
	}
	return priceValue, sizeValue, feed.RejectNone
}

func (d *Binance) trade(tick *feed.Tick, id int) (sequence uint64, why feed.Reject) {
	tick.Kind = feed.KindTrade
	if kind := d.fields[fieldOrderType]; kind != nil {
		text, why := jsonin.Text(kind)
		if why != feed.RejectNone {
			return 0, why
		}
		if string(text) == "NA" {
			return 0, feed.RejectNAPrint
		}
	}
	if tick.F[0], why = d.number(fieldPrice); why != feed.RejectNone {
		return 0, why
	}
	if tick.F[1], why = d.size(fieldQuantity); why != feed.RejectNone {
		return 0, why
	}
	if tick.F[0] == 0 && tick.F[1] == 0 {
		return 0, feed.RejectNAPrint
	}
	if d.fields[fieldMaker] == nil || d.fields[fieldTime] == nil {
		return 0, feed.RejectMissingField
	}
	maker, why := jsonin.Bool(d.fields[fieldMaker])
	if why != feed.RejectNone {
		return 0, why
	}
	tick.F[2] = 1
	if maker {
		tick.F[2] = -1
	}
	if sequence, why = d.id(id); why != feed.RejectNone {
		return 0, why
	}
	return sequence, d.common(tick, tradeFields|1<<id)
}

// common reads what quotes and trades have alike, the name last, and checks the fields not in used.
func (d *Binance) common(tick *feed.Tick, used fieldSet) (why feed.Reject) {
	if why = d.unread(used); why != feed.RejectNone {
		return why
	}
	if tick.ExchangeNs, why = d.time(); why != feed.RejectNone {
		return why
	}
	if d.fields[fieldSymbol] == nil {
		return feed.RejectMissingField
	}
	symbol, why := jsonin.Text(d.fields[fieldSymbol])
	if why != feed.RejectNone {
		return why
	}
	tick.Instrument, why = d.symbols.Handle(d.venue, symbol)
	return why
}

// time reads the exchange time: T, else E, else none. Both, if there, must be times.
func (d *Binance) time() (ns int64, why feed.Reject) {
	for _, field := range [...]int{fieldEventTime, fieldTime} {
		if d.fields[field] == nil {
			continue
		}
		ms, why := d.reader.Uint(d.fields[field])
		if why != feed.RejectNone {
			return 0, why
		}
		if ms > math.MaxInt64/1_000_000 {
			return 0, feed.RejectBadTime
		}
		ns = int64(ms) * 1_000_000
	}
	return ns, feed.RejectNone
}
