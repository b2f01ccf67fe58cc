package journal

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/sigengine/sigengine/feed"
)

// Ticks in memory are ticks in the journal where the processor is little-endian; elsewhere they are converted.
var hostLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// venueBytes is the size of an entry of the column of venue sequence numbers.
const venueBytes = 8

// putTicks writes ticks to dst, which has their size.
func putTicks(dst []byte, ticks []feed.Tick) {
	if len(ticks) == 0 {
		return
	}
	if hostLittleEndian {
		copy(dst, unsafe.Slice((*byte)(unsafe.Pointer(&ticks[0])), len(ticks)*feed.TickSize))
		return
	}
	for i := range ticks {
		putTick(dst[i*feed.TickSize:], &ticks[i])
	}
}

func putTick(p []byte, t *feed.Tick) {
	le.PutUint64(p[0:], t.Seq)
	le.PutUint64(p[8:], uint64(t.ExchangeNs))
	le.PutUint64(p[16:], uint64(t.ReceiveNs))
	le.PutUint32(p[24:], t.Instrument)
	p[28] = uint8(t.Kind)
	p[29] = uint8(t.Flags)
	le.PutUint16(p[30:], t.Source)
	for i, value := range t.F {
		le.PutUint64(p[32+8*i:], math.Float64bits(value))
	}
}

func getTick(p []byte, t *feed.Tick) {
	t.Seq = le.Uint64(p[0:])
	t.ExchangeNs = int64(le.Uint64(p[8:]))
	t.ReceiveNs = int64(le.Uint64(p[16:]))
	t.Instrument = le.Uint32(p[24:])
	t.Kind = feed.Kind(p[28])
	t.Flags = feed.Flags(p[29])
	t.Source = le.Uint16(p[30:])
	for i := range t.F {
		t.F[i] = math.Float64frombits(le.Uint64(p[32+8*i:]))
	}
}

// viewTicks returns the count ticks at the start of words: in place if possible, else converted into scratch.
func viewTicks(words []uint64, count int, scratch []feed.Tick) []feed.Tick {
	if count == 0 {
		return scratch[:0]
	}
	if hostLittleEndian {
		return unsafe.Slice((*feed.Tick)(unsafe.Pointer(&words[0])), count)
	}
	bytes := bytesOf(words)
	scratch = scratch[:0]
	for i := range count {
		scratch = append(scratch, feed.Tick{})
		getTick(bytes[i*feed.TickSize:], &scratch[i])
	}
	return scratch
}

// bytesOf returns the memory of words.
func bytesOf(words []uint64) []byte {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}
