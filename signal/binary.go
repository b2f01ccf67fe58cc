package signal

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The binary form, little-endian throughout. First a header of 8 bytes:
//
//	0       1         2            4      5                8
//	| 'S'   | version | block u16  | kind | zero           |
//
// then the fixed block, of `block` bytes (offsets from its start):
//
//	0          8                16           24         32      40     48
//	| sequence | out sequence   | exchangeNs | engineNs | value | side | strength
//	56          64             72    80    88     96           100     104      105      106    112
//	| horizonNs | validUntilNs | bid | ask | last | generation | flags | action | reason | zero |
//
// then four names, each a length u8 and its bytes: partition, signal, venue, symbol; then the count of legs u8, always 0
// in version 1. Here the decided body ends: these bytes are what OutputHash and the journal see. What follows are
// sections, each a tag u8, a length u16 and its bytes; version 1 knows one, the trailer:
//
//	0       8           16          24
//	| epoch | publishNs | latencyNs | instance (length u8, bytes) |
//
// A newer version may have a longer block, more bytes at the end of the trailer, and other sections; readers ignore
// those. A shorter block is refused, and in version 1 everything must be exactly as above.
const (
	magic       = 'S'
	kindDecided = 1
	headerBytes = 8
	blockBytes  = 112

	sectionHeaderBytes = 3
	sectionTrailer     = 'T'
	trailerFixedBytes  = 24
)

// Upper bounds of the encodings of a valid record, in bytes. A buffer of that capacity is never grown.
const (
	// BodyBytesMax bounds AppendBinary.
	BodyBytesMax = headerBytes + blockBytes + 4 + PartitionBytesMax + SignalBytesMax + VenueBytesMax + SymbolBytesMax + 1
	// BinaryBytesMax bounds AppendBinary followed by AppendBinaryTrailer.
	BinaryBytesMax = BodyBytesMax + sectionHeaderBytes + trailerFixedBytes + 1 + InstanceBytesMax
)

// AppendBinary appends the binary form of the decided body. These bytes are what is hashed. Undefined numbers are
// written canonically. The body must be valid (see Validate); a name over 255 bytes panics.
func AppendBinary(dst []byte, b *Body) []byte {
	le := binary.LittleEndian
	dst = append(dst, magic, Version)
	dst = le.AppendUint16(dst, blockBytes)
	dst = append(dst, kindDecided, 0, 0, 0)
	dst = le.AppendUint64(dst, b.Sequence)
	dst = le.AppendUint64(dst, b.OutputSequence)
	dst = le.AppendUint64(dst, uint64(b.ExchangeNs))
	dst = le.AppendUint64(dst, uint64(b.EngineNs))
	dst = le.AppendUint64(dst, canonicalBits(b.Value))
	dst = le.AppendUint64(dst, canonicalBits(b.Side))
	dst = le.AppendUint64(dst, canonicalBits(b.Strength))
	dst = le.AppendUint64(dst, uint64(b.HorizonNs))
	dst = le.AppendUint64(dst, uint64(b.ValidUntilNs))
	dst = le.AppendUint64(dst, canonicalBits(b.Bid))
	dst = le.AppendUint64(dst, canonicalBits(b.Ask))
	dst = le.AppendUint64(dst, canonicalBits(b.Last))
	dst = le.AppendUint32(dst, b.Generation)
	dst = le.AppendUint32(dst, uint32(b.Flags))
	dst = append(dst, byte(b.Action), byte(b.Reason), 0, 0, 0, 0, 0, 0)
	dst = appendName(dst, b.Partition)
	dst = appendName(dst, b.Signal)
	dst = appendName(dst, b.Venue)
	dst = appendName(dst, b.Symbol)
	return append(dst, 0) // legs
}

// AppendBinaryTrailer appends the trailer section; dst ends with what AppendBinary wrote.
func AppendBinaryTrailer(dst []byte, t *Trailer) []byte {
	le := binary.LittleEndian
	dst = append(dst, sectionTrailer)
	dst = le.AppendUint16(dst, uint16(trailerFixedBytes+1+len(t.Instance)))
	dst = le.AppendUint64(dst, t.Epoch)
	dst = le.AppendUint64(dst, uint64(t.PublishNs))
	dst = le.AppendUint64(dst, uint64(t.LatencyNs))
	return appendName(dst, t.Instance)
}

func appendName(dst []byte, name string) []byte {
	if len(name) > math.MaxUint8 {
		panic(fmt.Sprintf("signal: name of %d bytes passed to an encoder; call Validate first", len(name)))
	}
	return append(append(dst, byte(len(name))), name...)
}

func canonicalBits(v float64) uint64 {
	if IsUndefined(v) {
		return undefinedBits
	}
	return math.Float64bits(v)
}
