package wire

import (
	"github.com/sigengine/sigengine/feed"
)

// BinaryDecoder decodes native binary frames (docs/wire.md).
type BinaryDecoder struct {
	source   uint16
	symbols  *feed.Symbols
	sessions *sessions
	stats    feed.DecodeStats

	message message
	entries []uint32 // the handle table of the current frame's session
	body    []byte   // ticks of the current frame not looked at yet
}

var _ feed.Decoder = (*BinaryDecoder)(nil)

// NewBinaryDecoder returns a decoder. Options: Source, Symbols.
func NewBinaryDecoder(options feed.DecoderOptions) *BinaryDecoder {
	return &BinaryDecoder{source: options.Source, symbols: options.Symbols, sessions: newSessions(handlesMax)}
}

// Stats returns the decoder's counters.
func (d *BinaryDecoder) Stats() *feed.DecodeStats { return &d.stats }

// Decode begins a frame. See feed.Decoder.
func (d *BinaryDecoder) Decode(frame []byte, receiveNs int64, batch *feed.Batch) bool {
	d.message.begin(&d.stats, receiveNs)
	if why := d.open(frame); why != feed.RejectNone {
		d.body = nil
		d.message.reject(&d.stats, why)
		return false
	}
	return d.More(batch)
}

// open reads a frame up to its ticks. The frame's shape is checked before anything is defined.
func (d *BinaryDecoder) open(frame []byte) feed.Reject {
	h, why := readHeader(frame)
	if why != feed.RejectNone {
		return why
	}
	body := frame[frameHeaderSize:]
	for range h.definitions {
		var ok bool
		if _, body, ok = readDefinition(body); !ok {
			return feed.RejectTruncated
		}
	}
	switch {
	case len(body)/feed.TickSize < h.ticks:
		return feed.RejectTruncated
	case len(body) != h.ticks*feed.TickSize:
		return feed.RejectMalformed
	}
	d.body = body
	session := d.sessions.find(h.session)
	body = frame[frameHeaderSize:]
	for range h.definitions {
		var definition definition
		definition, body, _ = readDefinition(body)
		if why := session.define(definition, d.sessions.limit, d.symbols); why != feed.RejectNone {
			return why
		}
	}
	d.entries = session.entries
	return feed.RejectNone
}

// More goes on with a frame. See feed.Decoder.
func (d *BinaryDecoder) More(batch *feed.Batch) bool {
	first := batch.N
	body, entries, receiveNs, source := d.body, d.entries, d.message.receiveNs, d.source
	for len(body) >= feed.TickSize && batch.N < len(batch.Ticks) {
		tick := &batch.Ticks[batch.N]
		sequence, plain := readTick((*[feed.TickSize]byte)(body), tick)
		body = body[feed.TickSize:]
		tick.Seq, tick.ReceiveNs, tick.Source = 0, receiveNs, source
		why := feed.RejectNone
		if !plain {
			why = valid(tick)
		}
		if why == feed.RejectNone {
			entry := entryOf(entries, tick.Instrument)
			if entry-1 < entryRefused-1 {
				tick.Instrument = entry - 1
			} else {
				why = unaddressed(entry, tick)
			}
		}
		if why != feed.RejectNone {
			more := tick.Flags&feed.FlagMore != 0
			if !d.message.rejectTick(&d.stats, why, more, d.source, tick) {
				continue
			}
			sequence = 0
		} else if d.message.open || tick.Flags&feed.FlagMore != 0 {
			d.message.follow(tick)
		}
		if batch.VenueSeq != nil {
			batch.VenueSeq[batch.N] = sequence
		}
		batch.N++
	}
	d.body = body
	if batch.N > first {
		d.message.ticks = true
		d.stats.Ticks(batch.N - first)
	}
	if len(body) > 0 {
		return true
	}
	d.message.settle(&d.stats)
	return false
}

// unaddressed returns why a tick whose handle has no symbol is refused. Only a Gap may do without one.
func unaddressed(entry uint32, tick *feed.Tick) feed.Reject {
	switch {
	case entry != entryUnknown:
		return feed.Reject(entry & 0xff)
	case tick.Instrument == feed.AllInstruments && tick.Kind == feed.KindGap:
		return feed.RejectNone
	}
	return feed.RejectUnknownHandle
}
