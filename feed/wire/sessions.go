package wire

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/sigengine/sigengine/feed"
)

const (
	sessionsMax = 16      // producers remembered at once; the least recently used makes room
	handlesMax  = 1 << 20 // producers' handles stay below this
)

// An entry of a session's table: what a producer's handle means here.
const (
	entryUnknown = uint32(0)       // not defined yet
	entryRefused = uint32(1) << 31 // this bit: refused, the reason in the low byte
	// otherwise our own handle + 1
)

// session is what one run of one producer has defined.
type session struct {
	id      uint64
	used    uint64 // sessions.clock when a frame of it was last seen, 0 if the place is empty
	entries []uint32
}

// sessions holds the handle tables of the producers that a decoder hears.
type sessions struct {
	table [sessionsMax]session
	clock uint64
	last  *session // of the frame before: nearly always right
	limit int      // a producer's handles must be below this
}

func newSessions(limit int) *sessions {
	s := &sessions{limit: limit}
	s.last = &s.table[0]
	return s
}

// find returns the session of id, in the place of the least recently used one if it is new.
func (s *sessions) find(id uint64) *session {
	s.clock++
	if s.last.id != id || s.last.used == 0 {
		s.last = s.search(id)
	}
	s.last.used = s.clock
	return s.last
}

func (s *sessions) search(id uint64) *session {
	oldest := &s.table[0]
	for i := range s.table {
		session := &s.table[i]
		if session.id == id && session.used != 0 {
			return session
		}
		if session.used < oldest.used {
			oldest = session
		}
	}
	oldest.entries = oldest.entries[:0] // set fills what it grows by with entryUnknown
	oldest.id = id
	return oldest
}

// entryOf returns what handle means.
func entryOf(entries []uint32, handle uint32) uint32 {
	if uint64(handle) < uint64(len(entries)) {
		return entries[handle]
	}
	return entryUnknown
}

// set remembers what handle means; the handle is below the limit. It allocates only to grow.
func (s *session) set(handle, entry uint32) {
	if missing := int(handle) + 1 - len(s.entries); missing > 0 {
		s.entries = append(s.entries, make([]uint32, missing)...)
	}
	s.entries[handle] = entry
}

// definition is one symbol definition of a frame.
type definition struct {
	handle        uint32
	venue, symbol []byte
}

// readDefinition takes a definition from the front of body.
func readDefinition(body []byte) (d definition, rest []byte, ok bool) {
	if len(body) < definitionSize {
		return d, nil, false
	}
	d.handle = binary.LittleEndian.Uint32(body)
	venueEnd := definitionSize + int(body[4])
	end := venueEnd + int(body[5])
	if len(body) < end {
		return d, nil, false
	}
	d.venue, d.symbol = body[definitionSize:venueEnd], body[venueEnd:end]
	return d, body[end:], true
}

// define takes in a definition. It returns a reason if the whole frame cannot be trusted; a name that is
// refused for itself only refuses the ticks that use it.
func (s *session) define(d definition, limit int, symbols *feed.Symbols) feed.Reject {
	if int64(d.handle) >= int64(limit) {
		return feed.RejectTooManySymbols
	}
	known := entryOf(s.entries, d.handle)
	if known != entryUnknown && known&entryRefused == 0 {
		symbol := symbols.At(known - 1)
		if symbol.Venue == string(d.venue) && symbol.Name == string(d.symbol) {
			return feed.RejectNone
		}
		s.set(d.handle, entryRefused|uint32(feed.RejectHandleConflict))
		return feed.RejectHandleConflict
	}
	if known != entryUnknown {
		return feed.RejectNone
	}
	handle, why := uint32(0), feed.RejectBadUTF8
	if utf8.Valid(d.venue) && utf8.Valid(d.symbol) {
		handle, why = symbols.Handle(d.venue, d.symbol)
	}
	if why != feed.RejectNone {
		s.set(d.handle, entryRefused|uint32(why))
		return feed.RejectNone
	}
	s.set(d.handle, handle+1)
	return feed.RejectNone
}
