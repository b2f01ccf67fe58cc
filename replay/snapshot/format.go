package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/sigengine/sigengine/internal/engine"
)

// Version is the format's.
const Version = 1

// Bounds of a snapshot.
const (
	BytesMax     = 16 << 30 // of a file
	nameBytesMax = 255      // of partition and build
)

// Errors of snapshots.
var (
	ErrDamaged = errors.New("snapshot: damaged; take another, or start without")
	ErrVersion = errors.New("snapshot: of another version of the format; take another with this build")
	ErrForeign = errors.New("snapshot: it does not fit")
	ErrNone    = errors.New("snapshot: there is none that can be used; start without, or take one with sigengine snapshot")
)

// Identity is what must be the same where a snapshot is taken and where it is used.
type Identity struct {
	Build     string // what made it
	Partition string
	Program   [sha256.Size]byte // of the compiled signals
	Config    [sha256.Size]byte // of what the configuration says about decisions
}

// Snapshot is an engine's state, and where in which journal it belongs.
type Snapshot struct {
	Identity
	Run       uint64            // of the journal, from 1
	ChainAt   uint64            // the last tick of the block that holds the state's last tick
	Chain     [sha256.Size]byte // the journal's chain value after that block
	State     engine.State      // its Program is Identity's
	sizeBytes int64
}

// Bytes returns the size of the file that the snapshot was read from.
func (s *Snapshot) Bytes() int64 { return s.sizeBytes }

// Fits returns why a snapshot cannot be used where the identity is another, or nil. It wraps ErrForeign.
func (s *Snapshot) Fits(want *Identity) error {
	switch {
	case s.Build != want.Build:
		return fmt.Errorf("%w: it was made by %q, and this is %q", ErrForeign, s.Build, want.Build)
	case s.Partition != want.Partition:
		return fmt.Errorf("%w: it is of partition %q, not %q", ErrForeign, s.Partition, want.Partition)
	case s.Program != want.Program:
		return fmt.Errorf("%w: it is of other signals", ErrForeign)
	case s.Config != want.Config:
		return fmt.Errorf("%w: it is of another configuration", ErrForeign)
	}
	return nil
}

// parts returns the state's parts in the order of the file.
func parts(s *engine.State) [partCount]*[]byte {
	return [...]*[]byte{&s.Instruments, &s.Sequencer, &s.Executor, &s.Desk, &s.Output, &s.Counters}
}

const (
	magic     = "SGSNAP\r\n"
	partCount = 6
	fixed     = 8 + 2 + 2 + 4 + 5*8 + 3*sha256.Size // up to the names
	entry     = 4 + 4 + 8                           // of a part: kind, CRC, bytes
	headMax   = fixed + 2*(1+nameBytesMax) + 4 + partCount*entry + 4
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Encode returns the file's bytes. It fails if a name is too long.
func Encode(s *Snapshot) ([]byte, error) {
	if len(s.Partition) > nameBytesMax || len(s.Build) > nameBytesMax {
		return nil, fmt.Errorf("snapshot: a name of more than %d bytes", nameBytesMax)
	}
	size := headMax + 4
	for _, part := range parts(&s.State) {
		size += len(*part)
	}
	b := append(make([]byte, 0, size), magic...)
	b = le.AppendUint16(b, Version)
	b = le.AppendUint16(b, 0)
	b = le.AppendUint32(b, uint32(fixed+2+len(s.Partition)+len(s.Build)+4+partCount*entry+4))
	for _, v := range []uint64{s.Run, s.State.Sequence, uint64(s.State.EngineNs), s.State.Signals, s.ChainAt} {
		b = le.AppendUint64(b, v)
	}
	b = append(b, s.Chain[:]...)
	b = append(b, s.Program[:]...)
	b = append(b, s.Config[:]...)
	b = append(append(b, uint8(len(s.Partition))), s.Partition...)
	b = append(append(b, uint8(len(s.Build))), s.Build...)
	b = le.AppendUint32(b, partCount)
	for i, part := range parts(&s.State) {
		b = le.AppendUint32(b, uint32(i+1))
		b = le.AppendUint32(b, checksum(*part))
		b = le.AppendUint64(b, uint64(len(*part)))
	}
	b = le.AppendUint32(b, checksum(b))
	for _, part := range parts(&s.State) {
		b = append(b, *part...)
	}
	return le.AppendUint32(b, checksum(b)), nil
}

// Decode reads a file's bytes, which the snapshot goes on using. Its errors are ErrDamaged and ErrVersion.
func Decode(b []byte) (*Snapshot, error) {
	if len(b) < fixed+2+4+partCount*entry+4+4 || string(b[:8]) != magic {
		return nil, fmt.Errorf("%w: it does not begin as a snapshot does", ErrDamaged)
	}
	if version := le.Uint16(b[8:]); version != Version {
		return nil, fmt.Errorf("%w: version %d, this build reads %d", ErrVersion, version, Version)
	}
	if checksum(b[:len(b)-4]) != le.Uint32(b[len(b)-4:]) {
		return nil, fmt.Errorf("%w: the checksum of the whole", ErrDamaged)
	}
	s := &Snapshot{sizeBytes: int64(len(b))}
	r := reader{b: b[10 : len(b)-4]}
	reserved, headBytes := le.Uint16(r.take(2)), le.Uint32(r.take(4))
	engineNs := uint64(0)
	for _, v := range []*uint64{&s.Run, &s.State.Sequence, &engineNs, &s.State.Signals, &s.ChainAt} {
		*v = le.Uint64(r.take(8))
	}
	s.State.EngineNs = int64(engineNs)
	for _, v := range []*[sha256.Size]byte{&s.Chain, &s.Program, &s.Config} {
		copy(v[:], r.take(sha256.Size))
	}
	s.State.Program = s.Program
	s.Partition = string(r.take(int(r.take(1)[0])))
	s.Build = string(r.take(int(r.take(1)[0])))
	if count := le.Uint32(r.take(4)); count != partCount || reserved != 0 {
		return nil, fmt.Errorf("%w: %d parts, flags %d", ErrDamaged, count, reserved)
	}
	if err := r.parts(&s.State, b, int64(headBytes)); err != nil {
		return nil, err
	}
	return s, nil
}

// reader takes bytes from the front; where there are too few they are zeros, and short is set.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.b, r.short = nil, true
		return make([]byte, n)
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

// parts reads the table of parts, the header's checksum and the parts.
func (r *reader) parts(s *engine.State, whole []byte, headBytes int64) error {
	table := r.take(partCount * entry)
	head := len(whole) - 4 - len(r.b) // where the header's checksum is
	if sum := le.Uint32(r.take(4)); r.short || int64(head+4) != headBytes || checksum(whole[:head]) != sum {
		return fmt.Errorf("%w: the checksum of the header", ErrDamaged)
	}
	for i, part := range parts(s) {
		e := table[i*entry:]
		size := le.Uint64(e[8:])
		if le.Uint32(e) != uint32(i+1) || size > uint64(len(r.b)) {
			return fmt.Errorf("%w: part %d has kind %d and %d bytes", ErrDamaged, i+1, le.Uint32(e), size)
		}
		if *part = r.take(int(size)); checksum(*part) != le.Uint32(e[4:]) {
			return fmt.Errorf("%w: the checksum of part %d", ErrDamaged, i+1)
		}
	}
	if len(r.b) > 0 {
		return fmt.Errorf("%w: %d bytes too many", ErrDamaged, len(r.b))
	}
	return nil
}
