package wire

import (
	"encoding/binary"
	"math"

	"github.com/sigengine/sigengine/feed"
)

// A binary frame, little-endian:
//
//	 0       4       5       6      8       12      20      24
//	 | magic | ver 1 | flags | defs | ticks | session | zero |
//	 | SGB1  |   u8  |   u8  |  u16 |  u32  |   u64   |  u32 |
//
//	then defs times:   | handle u32 | venue bytes u8 | symbol bytes u8 | venue | symbol |
//	then ticks times:  a feed.Tick, its Seq being the venue's sequence number
//
// docs/wire.md says what each field means.
const (
	frameMagic      = uint32('S') | uint32('G')<<8 | uint32('B')<<16 | uint32('1')<<24
	frameVersion    = 1
	frameHeaderSize = 24
	definitionSize  = 6 // before the names
)

// header is a frame's header without what is constant.
type header struct {
	definitions int
	ticks       int
	session     uint64
}

// readHeader reads a frame's first bytes. The counts are not yet checked against the frame's length.
func readHeader(frame []byte) (h header, why feed.Reject) {
	if len(frame) > feed.MessageBytesMax {
		return h, feed.RejectTooLarge
	}
	if len(frame) < frameHeaderSize {
		return h, feed.RejectTruncated
	}
	if binary.LittleEndian.Uint32(frame) != frameMagic {
		return h, feed.RejectMalformed
	}
	if frame[4] != frameVersion || frame[5] != 0 || binary.LittleEndian.Uint32(frame[20:]) != 0 {
		return h, feed.RejectBadVersion
	}
	h.definitions = int(binary.LittleEndian.Uint16(frame[6:]))
	h.ticks = int(binary.LittleEndian.Uint32(frame[8:]))
	h.session = binary.LittleEndian.Uint64(frame[12:])
	return h, feed.RejectNone
}

func appendHeader(frame []byte, h header) []byte {
	frame = binary.LittleEndian.AppendUint32(frame, frameMagic)
	frame = append(frame, frameVersion, 0)
	frame = binary.LittleEndian.AppendUint16(frame, uint16(h.definitions))
	frame = binary.LittleEndian.AppendUint32(frame, uint32(h.ticks))
	frame = binary.LittleEndian.AppendUint64(frame, h.session)
	return binary.LittleEndian.AppendUint32(frame, 0)
}

// appendTick appends a tick with sequence in place of Seq, zero for what the receiver fills in itself.
func appendTick(frame []byte, tick *feed.Tick, sequence uint64) []byte {
	frame = binary.LittleEndian.AppendUint64(frame, sequence)
	frame = binary.LittleEndian.AppendUint64(frame, uint64(tick.ExchangeNs))
	frame = binary.LittleEndian.AppendUint64(frame, 0) // receive time
	frame = binary.LittleEndian.AppendUint32(frame, tick.Instrument)
	frame = append(frame, byte(tick.Kind), byte(tick.Flags), 0, 0) // source
	for _, value := range tick.F {
		frame = binary.LittleEndian.AppendUint64(frame, math.Float64bits(value))
	}
	return frame
}

// readTick reads what appendTick wrote, except receive time and source. It also reports whether the tick is
// a plain quote: both sides there, nothing valid could object to. That is most ticks, and looking at the
// bits while they are in registers is quicker than calling valid for each; false means that valid must look.
func readTick(b *[feed.TickSize]byte, tick *feed.Tick) (sequence uint64, plain bool) {
	exchange, head := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[24:])
	bid, bidSize := binary.LittleEndian.Uint64(b[32:]), binary.LittleEndian.Uint64(b[40:])
	ask, askSize := binary.LittleEndian.Uint64(b[48:]), binary.LittleEndian.Uint64(b[56:])
	tick.ExchangeNs = int64(exchange)
	tick.Instrument = uint32(head)
	tick.Kind, tick.Flags = feed.Kind(head>>32), feed.Flags(head>>40)
	tick.F[0], tick.F[1] = math.Float64frombits(bid), math.Float64frombits(bidSize)
	tick.F[2], tick.F[3] = math.Float64frombits(ask), math.Float64frombits(askSize)

	// Adding one to an exponent of all ones carries into the sign; the signs of time and sizes count too.
	const exponent, one, sign = 0x7ff << 52, 1 << 52, 1 << 63
	objection := (bid&exponent + one) | (bidSize&exponent + one) | (ask&exponent + one) | (askSize&exponent + one)
	objection |= exchange | bidSize | askSize
	const kindAndUnknownFlags = 0xff<<32 | uint64(^knownFlags)<<40
	plain = objection&sign == 0 && head&kindAndUnknownFlags == uint64(feed.KindQuote)<<32
	return binary.LittleEndian.Uint64(b[0:]), plain
}
