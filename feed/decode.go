package feed

// Bounds of what a decoder reads. Beyond them a message is rejected, by reason.
const (
	MessageBytesMax = 1 << 20 // bytes in a message
	DepthMax        = 64      // JSON arrays and objects inside each other
)

// Batch is where a decoder writes: arrays that the caller owns, claimed ring slots for example.
//
// Ticks[:N] and VenueSeq[:N] are filled. Slots from N on may have been written to and hold nothing.
type Batch struct {
	Ticks    []Tick
	VenueSeq []uint64 // side column: the venue's own sequence number, 0 if none; nil to do without, else as long as Ticks
	N        int
}

// Decoder turns message bytes into ticks. One goroutine uses a decoder; others may read its Stats.
//
//	for more := d.Decode(message, receiveNs, &batch); ; more = d.More(&batch) {
//		publish(batch.Ticks[:batch.N])
//		if !more {
//			break
//		}
//		batch.N = 0 // or other arrays
//	}
//
// A message may hold any number of ticks, so the message may need more than one batch. Nothing is
// allocated for a message, except for a symbol or producer not seen before, for JSON that is not well formed
// (its error), and now and then for JSON of more than 4 KiB (the parser's memory is renewed to bound it).
type Decoder interface {
	// Decode begins a message and appends its ticks to batch, all stamped with receiveNs (Unix
	// nanoseconds). It returns true if the batch filled up first: then the caller goes on with More.
	// The message's bytes must not change until false was returned. Decode before that abandons
	// what is left of the message before.
	Decode(message []byte, receiveNs int64, batch *Batch) (more bool)

	// More goes on with the message begun by Decode, and returns as Decode does.
	More(batch *Batch) (more bool)

	// Stats returns the decoder's counters.
	Stats() *DecodeStats
}

// DecoderOptions is what every decoder is told at start.
type DecoderOptions struct {
	Source  uint16   // goes into Tick.Source
	Symbols *Symbols // the source's table; required
	Venue   string   // for messages that name none; empty is the codec's own default, if it has one
	Trades  string   // Binance: TradesSingle (also if empty) or TradesAggregate
}

// The values of DecoderOptions.Trades. A venue that sends both would count every trade twice.
const (
	TradesSingle    = "trade"
	TradesAggregate = "aggTrade"
)
