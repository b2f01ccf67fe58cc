package publish

import (
	"fmt"
	"sync/atomic"

	"github.com/sigengine/sigengine/signal"
)

// RejectionSink publishes refused signals as JSON on <prefix>.<gate>.<venue>.<symbol>. It never waits. One goroutine calls
// Refuse. It allocates where a gate first refuses a pair.
type RejectionSink struct {
	conn     Conn
	prefix   string
	subjects map[refusal]string
	buffer   []byte

	published, errors atomic.Uint64
}

// refusal is what a subject is made for.
type refusal struct {
	pair uint32
	gate string
}

// NewRejectionSink returns a sink. The error wraps ErrConfig.
func NewRejectionSink(conn Conn, prefix string) (*RejectionSink, error) {
	if _, err := signal.Subject(prefix, "gate", "v", "i"); err != nil || conn == nil {
		return nil, fmt.Errorf("%w: rejections need a connection and a prefix: %w", ErrConfig, err)
	}
	return &RejectionSink{
		conn: conn, prefix: prefix, subjects: map[refusal]string{}, buffer: make([]byte, 0, signal.JSONBytesMax),
	}, nil
}

// Refuse publishes one refused signal. What cannot be published is counted.
func (s *RejectionSink) Refuse(pair uint32, r *signal.Rejection, _ int64) {
	key := refusal{pair, r.Gate}
	subject, ok := s.subjects[key]
	if !ok {
		var err error
		if subject, err = signal.Subject(s.prefix, r.Gate, r.Venue, r.Symbol); err != nil {
			s.errors.Add(1)
			return
		}
		s.subjects[key] = subject
	}
	s.buffer = signal.AppendRejectionJSON(s.buffer[:0], r)
	if s.conn.Publish(subject, s.buffer) != nil {
		s.errors.Add(1)
		return
	}
	s.published.Add(1)
}

// Counts returns how many rejections were published and how many could not be. Any goroutine.
func (s *RejectionSink) Counts() (published, errors uint64) {
	return s.published.Load(), s.errors.Load()
}
