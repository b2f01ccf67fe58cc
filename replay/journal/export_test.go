package journal

// SealBlock returns the bytes of a block with right checksums and chain, whatever it says, after the last byte of a
// journal whose chain value is given. The last unsaid bytes of the payload stand where zeros belong.
func SealBlock(chain [32]byte, number uint64, typ Type, version uint8, flags uint16, count uint32, first uint64, payload []byte, unsaid int) []byte {
	size := padded(len(payload))
	p := make([]byte, BlockHeaderBytes+size)
	copy(p[BlockHeaderBytes:], payload)
	h := blockHeader{
		typ: typ, version: version, flags: flags, bytes: uint32(len(payload) - unsaid), count: count, number: number, first: first,
	}
	h.encodeChained(p)
	c := newChain(chain)
	copy(p[blockChainedBytes:], c.peek(p[:blockChainedBytes], p[BlockHeaderBytes:])[:])
	le.PutUint32(p[64:], checksum(p[BlockHeaderBytes:]))
	le.PutUint32(p[blockHeaderCRCAt:], checksum(p[:blockHeaderCRCAt]))
	return p
}

// ResealSegmentHeader gives a changed segment header its right checksum.
func ResealSegmentHeader(p []byte) {
	le.PutUint32(p[segmentHeaderCRCAt:], checksum(p[:segmentHeaderCRCAt]))
}

// TickBytesBothWays encodes and decodes ticks field by field, as on a big-endian processor.
var (
	PutTick = putTick
	GetTick = getTick
)

// Number returns the number that the next block has.
func (r *Reader) NextBlock() uint64 { return r.nextBlock }

// AsBigEndian makes the package convert ticks field by field, as on a big-endian processor, until the function returned
// is called.
func AsBigEndian() (restore func()) {
	was := hostLittleEndian
	hostLittleEndian = false
	return func() { hostLittleEndian = was }
}
