package journal

import (
	"crypto/sha256"
	"hash"
)

// chainValue is a SHA-256 value that depends on every byte of the journal up to where it is taken.
type chainValue = [sha256.Size]byte

// chain computes chain values: of a segment header SHA-256(header without its CRC), which holds the value before it;
// of a block SHA-256(value before, chained part of its header, padded payload).
type chain struct {
	value chainValue
	next  chainValue
	hash  hash.Hash
}

func newChain(value chainValue) *chain { return &chain{value: value, hash: sha256.New()} }

func (c *chain) segment(header *[SegmentHeaderBytes]byte) {
	c.value = sha256.Sum256(header[:segmentHeaderCRCAt])
}

// peek returns what the value would be after a block. The result is overwritten by the next call.
func (c *chain) peek(chained, payload []byte) *chainValue {
	c.hash.Reset()
	c.hash.Write(c.value[:])
	c.hash.Write(chained)
	c.hash.Write(payload)
	c.hash.Sum(c.next[:0])
	return &c.next
}
