package signal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// OutputHash is the running hash of the decided signals of one run, in the order they were decided: SHA-256 over, for
// each, the length of AppendBinary's bytes as a little-endian u32 and those bytes. Two runs that decided the same have the
// same hash. One goroutine; make one with NewOutputHash.
type OutputHash struct {
	state   hash.Hash
	count   uint64
	prefix  [4]byte
	scratch []byte
}

// NewOutputHash returns the hash of no signals.
func NewOutputHash() *OutputHash {
	return &OutputHash{state: sha256.New(), scratch: make([]byte, 0, BodyBytesMax)}
}

// Add adds one decided signal. It does not allocate.
func (h *OutputHash) Add(b *Body) {
	h.scratch = AppendBinary(h.scratch[:0], b)
	h.AddEncoded(h.scratch)
}

// AddEncoded adds one decided signal by the bytes that AppendBinary wrote for it, without a trailer. It does not allocate.
func (h *OutputHash) AddEncoded(body []byte) {
	binary.LittleEndian.PutUint32(h.prefix[:], uint32(len(body)))
	h.state.Write(h.prefix[:]) // a hash never returns an error
	h.state.Write(body)
	h.count++
}

// Count returns how many signals were added.
func (h *OutputHash) Count() uint64 { return h.count }

// Sum returns the hash so far, 64 lower-case hex digits. More may be added afterwards.
func (h *OutputHash) Sum() string { return hex.EncodeToString(h.state.Sum(nil)) }
