package feed

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// Name limits. They bound memory and keep an escaped name inside a NATS subject token.
const (
	VenueBytesMax  = 32
	SymbolBytesMax = 96
)

// Symbol names an instrument: the venue that quotes it and the venue's own symbol, byte for byte.
type Symbol struct {
	Venue string
	Name  string
}

// Errors of a symbol table.
var (
	ErrSymbolsFull = errors.New("feed: symbol table full")
	ErrSymbolName  = errors.New("feed: venue or symbol empty or too long")
)

// Symbols is one source's table of the instruments it has seen: a name in, a dense handle out.
//
// The decoder of the source interns; the sequencer reads names by handle. No lock is needed: an entry
// is written before the tick that first carries its handle is committed to the ring, the ring's commit
// publishes it, and entries never change.
type Symbols struct {
	byName  map[string]uint32 // key: length of venue in a byte, venue, symbol; decoder only
	entries []Symbol          // fixed capacity; entries[:length] are frozen
	length  atomic.Uint32
	scratch []byte
}

// NewSymbols returns a table for at most limit instruments.
func NewSymbols(limit int) *Symbols {
	return &Symbols{
		byName:  make(map[string]uint32, limit),
		entries: make([]Symbol, limit),
		scratch: make([]byte, 0, VenueBytesMax+1+SymbolBytesMax),
	}
}

// Intern returns the handle of venue and symbol, adding them if they are new. Decoder goroutine only.
// It allocates only for a name not seen before.
func (s *Symbols) Intern(venue, symbol []byte) (uint32, error) {
	if len(venue) == 0 || len(symbol) == 0 || len(venue) > VenueBytesMax || len(symbol) > SymbolBytesMax {
		return 0, ErrSymbolName
	}
	key := append(append(append(s.scratch[:0], byte(len(venue))), venue...), symbol...)
	if handle, ok := s.byName[string(key)]; ok {
		return handle, nil
	}
	handle := s.length.Load()
	if int(handle) == len(s.entries) {
		return 0, ErrSymbolsFull
	}
	s.entries[handle] = Symbol{Venue: string(venue), Name: string(symbol)}
	s.byName[string(key)] = handle
	s.length.Store(handle + 1)
	return handle, nil
}

// Handle is Intern for a decoder: the handle of a symbol, or the reason there is none.
func (s *Symbols) Handle(venue, symbol []byte) (uint32, Reject) {
	handle, err := s.Intern(venue, symbol)
	switch err {
	case nil:
		return handle, RejectNone
	case ErrSymbolsFull:
		return 0, RejectTooManySymbols
	}
	return 0, RejectSymbolName
}

// At returns the symbol of a handle that reached the caller through the ring.
func (s *Symbols) At(handle uint32) Symbol {
	if handle >= s.length.Load() {
		panic(fmt.Sprintf("feed: symbol handle %d was never interned", handle))
	}
	return s.entries[handle]
}

// Cap returns how many symbols the table can hold.
func (s *Symbols) Cap() int { return len(s.entries) }

// Len returns how many symbols the table holds.
func (s *Symbols) Len() int { return int(s.length.Load()) }
