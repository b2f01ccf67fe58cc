package wire

import (
	"github.com/valyala/fastjson"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/internal/jsonin"
)

// JSONDecoder decodes native JSON: a tick object, or an array of them, a message (docs/wire.md).
type JSONDecoder struct {
	source  uint16
	venue   []byte // for messages that name none
	symbols *feed.Symbols
	fills   bool // it reads fills and positions, and nothing else
	stats   feed.DecodeStats

	reader    jsonin.Reader
	message   message
	single    [1]*fastjson.Value
	elements  []*fastjson.Value           // of the current message
	next      int                         // first element not looked at yet
	fields    [fieldCount]*fastjson.Value // of the current element; null is nil, for it means the same as absent
	seen      fieldSet                    // of the current element, null included
	duplicate bool                        // a known field came twice in the current element
	malformed bool                        // a field that nobody reads is not JSON
	alive     bool                        // the current element is a heartbeat of fills
	visit     func(key []byte, value *fastjson.Value)
}

var _ feed.Decoder = (*JSONDecoder)(nil)

// NewJSONDecoder returns a decoder. Options: Source, Symbols, Venue (for messages without a venue).
func NewJSONDecoder(options feed.DecoderOptions) *JSONDecoder {
	d := &JSONDecoder{source: options.Source, venue: []byte(options.Venue), symbols: options.Symbols}
	d.visit = d.field
	return d
}

// Stats returns the decoder's counters.
func (d *JSONDecoder) Stats() *feed.DecodeStats { return &d.stats }

// Decode begins a message. See feed.Decoder.
func (d *JSONDecoder) Decode(text []byte, receiveNs int64, batch *feed.Batch) bool {
	d.message.begin(&d.stats, receiveNs)
	d.elements, d.next = nil, 0
	root, why := d.reader.Parse(text)
	if why == feed.RejectNone {
		switch root.Type() {
		case fastjson.TypeObject:
			d.single[0] = root
			d.elements = d.single[:]
		case fastjson.TypeArray:
			d.elements = root.GetArray()
		default:
			why = feed.RejectWrongType
		}
	}
	if why != feed.RejectNone {
		d.message.reject(&d.stats, why)
		if d.fills {
			d.lostFill(batch)
		}
		return false
	}
	return d.More(batch)
}

// More goes on with a message. See feed.Decoder.
func (d *JSONDecoder) More(batch *feed.Batch) bool {
	first := batch.N
	for d.next < len(d.elements) && batch.N < len(batch.Ticks) {
		element := d.elements[d.next]
		d.next++
		d.element(element, batch)
	}
	if batch.N > first {
		d.message.ticks = true
		d.stats.Ticks(batch.N - first)
	}
	if d.next < len(d.elements) {
		return true
	}
	d.message.settle(&d.stats)
	return false
}

// element decodes one tick into the batch's next slot.
func (d *JSONDecoder) element(element *fastjson.Value, batch *feed.Batch) {
	tick := &batch.Ticks[batch.N]
	*tick = feed.Tick{ReceiveNs: d.message.receiveNs, Source: d.source}
	sequence, why := d.read(element, tick)
	if why != feed.RejectNone {
		more := tick.Flags&feed.FlagMore != 0 || d.fills
		if !d.message.rejectTick(&d.stats, why, more, d.source, tick) {
			return
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

// read fills tick from an element and returns the venue's sequence number. Flags come first, so that they
// are known of a tick that is rejected for something else.
func (d *JSONDecoder) read(element *fastjson.Value, tick *feed.Tick) (sequence uint64, why feed.Reject) {
	object := element.GetObject()
	if object == nil {
		return 0, feed.RejectWrongType
	}
	d.fields = [fieldCount]*fastjson.Value{}
	d.seen, d.duplicate, d.malformed = 0, false, false
	object.Visit(d.visit)
	if why = d.flags(tick); why != feed.RejectNone {
		return 0, why
	}
	switch {
	case d.malformed:
		return 0, feed.RejectMalformed
	case d.duplicate:
		return 0, feed.RejectDuplicateField
	}
	kind, why := d.kind()
	if why != feed.RejectNone {
		return 0, why
	}
	tick.Kind = kind.kind
	if why = kind.read(d, tick); why != feed.RejectNone {
		return 0, why
	}
	if why = d.unread(kind.fields); why != feed.RejectNone {
		return 0, why
	}
	if tick.ExchangeNs, why = d.exchangeTime(); why != feed.RejectNone {
		return 0, why
	}
	if value := d.fields[fieldSeq]; value != nil {
		if sequence, why = d.reader.Uint(value); why != feed.RejectNone {
			return 0, why
		}
	}
	tick.Instrument, why = d.instrument(tick.Kind)
	return sequence, why
}

// unread checks the known fields that this kind has no use for: nothing else looks at their numbers.
func (d *JSONDecoder) unread(used fieldSet) feed.Reject {
	if d.seen&^used == 0 {
		return feed.RejectNone
	}
	for i, value := range d.fields {
		if value != nil && used>>i&1 == 0 && !d.reader.Check(value) {
			return feed.RejectMalformed
		}
	}
	return feed.RejectNone
}

// instrument interns the names, last of all, so that a rejected tick takes no place in the table.
func (d *JSONDecoder) instrument(kind feed.Kind) (uint32, feed.Reject) {
	if d.fields[fieldSymbol] == nil && (kind == feed.KindGap || d.fills && d.alive) {
		return feed.AllInstruments, feed.RejectNone
	}
	venue := d.venue
	if value := d.fields[fieldVenue]; value != nil {
		var why feed.Reject
		if venue, why = jsonin.Text(value); why != feed.RejectNone {
			return 0, why
		}
	} else if len(venue) == 0 {
		return 0, feed.RejectMissingField
	}
	symbol, why := d.text(fieldSymbol)
	if why != feed.RejectNone {
		return 0, why
	}
	return d.symbols.Handle(venue, symbol)
}
