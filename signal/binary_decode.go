package signal

import (
	"encoding/binary"
	"fmt"
	"math"
)

// DecodeBinary reads one record in the binary form. The trailer is nil if the payload has none. Errors wrap
// ErrMalformed, ErrUnsupported or ErrName; nothing is returned with an error.
func DecodeBinary(payload []byte) (Body, *Trailer, error) {
	d := decoder{rest: payload}
	b, err := d.body()
	if err != nil {
		return Body{}, nil, err
	}
	t, err := d.sections(b.Version)
	if err != nil {
		return Body{}, nil, err
	}
	return b, t, nil
}

// decoder takes bytes off the front of a payload.
type decoder struct{ rest []byte }

func (d *decoder) take(n int, what string) ([]byte, error) {
	if len(d.rest) < n {
		return nil, fmt.Errorf("%w: %s needs %d bytes, %d left", ErrMalformed, what, n, len(d.rest))
	}
	taken := d.rest[:n:n]
	d.rest = d.rest[n:]
	return taken, nil
}

func (d *decoder) body() (Body, error) {
	var b Body
	header, err := d.take(headerBytes, "header")
	if err != nil {
		return b, err
	}
	b.Version = header[1]
	block := int(binary.LittleEndian.Uint16(header[2:]))
	switch {
	case header[0] != magic:
		return b, fmt.Errorf("%w: first byte %#02x is not %q", ErrMalformed, header[0], magic)
	case b.Version == 0:
		return b, fmt.Errorf("%w: version 0", ErrMalformed)
	case header[4] != kindDecided:
		return b, fmt.Errorf("%w: kind %d", ErrUnsupported, header[4])
	case block < blockBytes:
		return b, fmt.Errorf("%w: block of %d bytes, want at least %d", ErrMalformed, block, blockBytes)
	case b.Version == Version && block != blockBytes:
		return b, fmt.Errorf("%w: block of %d bytes in version %d, want %d", ErrMalformed, block, Version, blockBytes)
	case b.Version == Version && !allZero(header[5:]):
		return b, fmt.Errorf("%w: reserved header bytes are not zero", ErrMalformed)
	}
	fixed, err := d.take(block, "block")
	if err != nil {
		return b, err
	}
	if err := b.readBlock(fixed); err != nil {
		return b, err
	}
	for _, name := range []*string{&b.Partition, &b.Signal, &b.Venue, &b.Symbol} {
		if *name, err = d.name(); err != nil {
			return b, err
		}
	}
	legs, err := d.take(1, "legs")
	if err != nil {
		return b, err
	}
	if legs[0] != 0 {
		return b, fmt.Errorf("%w: %d legs", ErrUnsupported, legs[0])
	}
	return b, b.Validate()
}

func (b *Body) readBlock(fixed []byte) error {
	le := binary.LittleEndian
	b.Sequence = le.Uint64(fixed[0:])
	b.OutputSequence = le.Uint64(fixed[8:])
	b.ExchangeNs = int64(le.Uint64(fixed[16:]))
	b.EngineNs = int64(le.Uint64(fixed[24:]))
	b.HorizonNs = int64(le.Uint64(fixed[56:]))
	b.ValidUntilNs = int64(le.Uint64(fixed[64:]))
	b.Generation = le.Uint32(fixed[96:])
	b.Flags = Flags(le.Uint32(fixed[100:]))
	b.Action = Action(fixed[104])
	b.Reason = Reason(fixed[105])
	if !b.Action.known() {
		return fmt.Errorf("%w: action %d", ErrUnsupported, fixed[104])
	}
	if b.Version == Version && !allZero(fixed[106:blockBytes]) {
		return fmt.Errorf("%w: reserved block bytes are not zero", ErrMalformed)
	}
	for _, f := range [...]struct {
		into *float64
		at   int
	}{{&b.Value, 32}, {&b.Side, 40}, {&b.Strength, 48}, {&b.Bid, 72}, {&b.Ask, 80}, {&b.Last, 88}} {
		bits := le.Uint64(fixed[f.at:])
		*f.into = math.Float64frombits(bits)
		if bits != canonicalBits(*f.into) {
			return fmt.Errorf("%w: number %#016x at block offset %d is neither finite nor the canonical NaN", ErrMalformed, bits, f.at)
		}
	}
	return nil
}

func (d *decoder) name() (string, error) {
	length, err := d.take(1, "name length")
	if err != nil {
		return "", err
	}
	name, err := d.take(int(length[0]), "name")
	return string(name), err
}

func (d *decoder) sections(version uint8) (*Trailer, error) {
	var t *Trailer
	for len(d.rest) > 0 {
		head, err := d.take(sectionHeaderBytes, "section header")
		if err != nil {
			return nil, err
		}
		section, err := d.take(int(binary.LittleEndian.Uint16(head[1:])), "section")
		switch {
		case err != nil:
			return nil, err
		case head[0] != sectionTrailer && version == Version:
			return nil, fmt.Errorf("%w: section %#02x", ErrMalformed, head[0])
		case head[0] != sectionTrailer:
			continue
		case t != nil:
			return nil, fmt.Errorf("%w: two trailers", ErrMalformed)
		}
		if t, err = readTrailer(section, version); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func readTrailer(section []byte, version uint8) (*Trailer, error) {
	d := decoder{rest: section}
	fixed, err := d.take(trailerFixedBytes, "trailer")
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	t := Trailer{
		Epoch:     le.Uint64(fixed[0:]),
		PublishNs: int64(le.Uint64(fixed[8:])),
		LatencyNs: int64(le.Uint64(fixed[16:])),
	}
	if t.Instance, err = d.name(); err != nil {
		return nil, err
	}
	if version == Version && len(d.rest) > 0 {
		return nil, fmt.Errorf("%w: %d bytes after the trailer's instance", ErrMalformed, len(d.rest))
	}
	return &t, t.Validate()
}

func allZero(p []byte) bool {
	for _, c := range p {
		if c != 0 {
			return false
		}
	}
	return true
}
