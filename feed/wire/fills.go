package wire

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/internal/jsonin"
)

// NewFillsDecoder returns a decoder of fills, positions and heartbeats of their source, in the manner of native JSON
// (docs/wire.md, section 5). What it rejects becomes a Gap: a fill that cannot be read is a fill that is missing.
func NewFillsDecoder(options feed.DecoderOptions) *JSONDecoder {
	d := NewJSONDecoder(options)
	d.fills = true
	return d
}

var (
	jsonFill     = jsonKind{feed.KindFill, commonFields | setOf(fieldPrice, fieldSize, fieldSide), (*JSONDecoder).fill}
	jsonPosition = jsonKind{feed.KindFill, commonFields | setOf(fieldPrice, fieldSize), (*JSONDecoder).position}
	jsonAlive    = jsonKind{feed.KindFill, commonFields | setOf(fieldComplete), (*JSONDecoder).heartbeat}
)

// fillKind returns how to read the current element of a source of fills.
func (d *JSONDecoder) fillKind(name []byte) (*jsonKind, feed.Reject) {
	d.alive = false
	if d.fields[fieldMore] != nil {
		return nil, feed.RejectUnknownFlags // a fill is no part of an event
	}
	switch string(name) {
	case "fill":
		return &jsonFill, feed.RejectNone
	case "position":
		return &jsonPosition, feed.RejectNone
	case "heartbeat":
		d.alive = true
		return &jsonAlive, feed.RejectNone
	case "quote", "trade", "depth", "status", "gap", "reference", "series", "control":
		return nil, feed.RejectUnsupportedKind
	}
	return nil, feed.RejectUnknownKind
}

// fill reads what was bought or sold.
func (d *JSONDecoder) fill(tick *feed.Tick) (why feed.Reject) {
	if tick.F[0], why = d.number(fieldPrice); why != feed.RejectNone {
		return why
	}
	if tick.F[1], why = d.size(fieldSize); why != feed.RejectNone {
		return why
	}
	side, why := d.text(fieldSide)
	if why != feed.RejectNone {
		return why
	}
	switch string(side) {
	case "buy":
	case "sell":
		tick.F[1] = 0 - tick.F[1]
	default:
		return feed.RejectBadSide
	}
	tick.F[2] = float64(feed.FillTrade)
	return feed.RejectNone
}

// position reads what is held. One that holds nothing need not say at what price.
func (d *JSONDecoder) position(tick *feed.Tick) (why feed.Reject) {
	if tick.F[1], why = d.number(fieldSize); why != feed.RejectNone {
		return why
	}
	tick.F[0], tick.F[2] = feed.NaN(), float64(feed.FillPosition)
	if d.fields[fieldPrice] == nil && tick.F[1] == 0 {
		tick.F[0] = 0
		return feed.RejectNone
	}
	tick.F[0], why = d.number(fieldPrice)
	return why
}

// heartbeat reads that the source of fills lives, and whether it has just told every position.
func (d *JSONDecoder) heartbeat(tick *feed.Tick) feed.Reject {
	tick.F[2] = float64(feed.FillHeartbeat)
	value := d.fields[fieldComplete]
	if value == nil {
		return feed.RejectNone
	}
	complete, why := jsonin.Bool(value)
	if complete {
		tick.F[1] = 1
	}
	return why
}

// lostFill puts a Gap in the place of a message that could not be read.
func (d *JSONDecoder) lostFill(batch *feed.Batch) {
	if batch.N == len(batch.Ticks) {
		return // a caller without room for one tick
	}
	batch.Ticks[batch.N] = feed.Tick{
		ReceiveNs: d.message.receiveNs, Instrument: feed.AllInstruments, Kind: feed.KindGap, Source: d.source,
		F: [4]float64{float64(feed.GapRejected), 1},
	}
	if batch.VenueSeq != nil {
		batch.VenueSeq[batch.N] = 0
	}
	batch.N++
	d.stats.Ticks(1)
}
