package signal

import (
	"encoding"
	"encoding/binary"
	"fmt"
)

// outputStateBytes is the size of a state: the count, and crypto/sha256's own form.
const outputStateBytes = 8 + 108

// AppendState appends where the hash stands, for LoadState: the count as a little-endian u64, then the form of crypto/sha256.
func (h *OutputHash) AppendState(dst []byte) ([]byte, error) {
	state, err := h.state.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return dst, fmt.Errorf("signal: output hash: %w", err)
	}
	return append(binary.LittleEndian.AppendUint64(dst, h.count), state...), nil
}

// LoadState goes on where another hash stood. If the error is not nil the hash must not be used.
func (h *OutputHash) LoadState(b []byte) error {
	if len(b) != outputStateBytes {
		return fmt.Errorf("signal: output hash: a state of %d bytes, want %d", len(b), outputStateBytes)
	}
	if err := h.state.(encoding.BinaryUnmarshaler).UnmarshalBinary(b[8:]); err != nil {
		return fmt.Errorf("signal: output hash: %w", err)
	}
	h.count = binary.LittleEndian.Uint64(b)
	return nil
}
