package engine

import "github.com/sigengine/sigengine/kernels/program"

// sessions derives session resets from engine time: each instrument's next slot after one carries it.
type sessions struct {
	next       func(afterNs int64) int64
	nextNs     int64 // 0: not known yet
	generation uint32
	seen       []uint32 // by id
}

func newSessions(config *Config) sessions {
	return sessions{next: config.NextReset, seen: make([]uint32, config.Instruments)}
}

// advance moves engine time on.
func (s *sessions) advance(nowNs int64) {
	if s.next == nil {
		return
	}
	if s.nextNs == 0 {
		s.nextNs = s.next(nowNs)
		return
	}
	if nowNs >= s.nextNs {
		s.generation++
		s.nextNs = s.next(nowNs)
	}
}

// resetOne takes a reset that the feed said of one instrument.
func (s *sessions) resetOne(id uint32) { s.seen[id] = s.generation - 1 }

// session returns the reset bit if the instrument's next slot is to carry it, once.
func (s *sequencer) session(id uint32) uint32 {
	if s.sessions.seen[id] == s.sessions.generation {
		return 0
	}
	s.sessions.seen[id] = s.sessions.generation
	return program.CtlSessionReset
}
