package publish

import "github.com/sigengine/sigengine/signal"

// MemorySink keeps every signal, for tests and short replays: it grows without bound.
type MemorySink struct {
	Bodies []signal.Body
	Pairs  []uint32
}

// Emit keeps a copy of body.
func (m *MemorySink) Emit(pair uint32, body *signal.Body, _ int64) uint8 {
	m.Bodies = append(m.Bodies, *body)
	m.Pairs = append(m.Pairs, pair)
	return uint8(Published)
}

// DiscardSink counts and drops.
type DiscardSink struct{ count uint64 }

// Emit counts.
func (d *DiscardSink) Emit(uint32, *signal.Body, int64) uint8 {
	d.count++
	return uint8(Published)
}

// Count returns how many signals were dropped.
func (d *DiscardSink) Count() uint64 { return d.count }

// HashSink keeps only the hash of what was decided.
type HashSink struct{ hash *signal.OutputHash }

// NewHashSink returns a sink over hash, which may also be read elsewhere once the sink is no longer used.
func NewHashSink(hash *signal.OutputHash) *HashSink { return &HashSink{hash: hash} }

// Emit adds body to the hash.
func (h *HashSink) Emit(_ uint32, body *signal.Body, _ int64) uint8 {
	h.hash.Add(body)
	return uint8(Published)
}
