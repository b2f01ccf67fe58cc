package publish

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

// Conn is what the sink needs of a connection. data is not used after Publish has returned.
type Conn interface {
	Publish(subject string, data []byte) error
}

// Encoding is how signals are written.
type Encoding uint8

// The encodings.
const (
	JSON   Encoding = 0
	Binary Encoding = 1
)

// ErrConfig is wrapped by the errors of NewNATSSink.
var ErrConfig = errors.New("publish: bad configuration")

// NATSConfig describes a NATSSink.
type NATSConfig struct {
	Conn     Conn
	Clock    feed.Clock
	Encoding Encoding
	Prefix   string // of subjects; empty: signal.PrefixLive
	Instance string // this process's name, in every trailer
	Epoch    uint64 // of the partition, in every trailer
	Pairs    int    // pairs to have room for from the start; more are allowed
}

// NATSSink publishes signals on their subjects. Make it with NewNATSSink.
type NATSSink struct {
	conn     Conn
	clock    feed.Clock
	encoding Encoding
	prefix   string
	trailer  signal.Trailer
	subjects []string // by pair; empty: not made yet
	buffer   []byte

	results [ResultCount]atomic.Uint64
	bytes   atomic.Uint64
}

// NewNATSSink returns a sink over a connection of its own. Errors wrap ErrConfig.
func NewNATSSink(config NATSConfig) (*NATSSink, error) {
	if config.Conn == nil || config.Clock == nil {
		return nil, fmt.Errorf("%w: a connection and a clock are needed", ErrConfig)
	}
	if config.Encoding > Binary {
		return nil, fmt.Errorf("%w: encoding %d", ErrConfig, config.Encoding)
	}
	if config.Prefix == "" {
		config.Prefix = signal.PrefixLive
	}
	if _, err := signal.Subject(config.Prefix, "s", "v", "i"); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	trailer := signal.Trailer{Instance: config.Instance, Epoch: config.Epoch}
	if err := trailer.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return &NATSSink{
		conn:     config.Conn,
		clock:    config.Clock,
		encoding: config.Encoding,
		prefix:   config.Prefix,
		trailer:  trailer,
		subjects: make([]string, max(config.Pairs, 0)),
		buffer:   make([]byte, 0, signal.JSONBytesMax),
	}, nil
}

// Emit publishes one decided signal. pair stands for its signal and instrument, always the same for the same two;
// receiveNs is when the causing tick was received, 0 if it was not. The value returned is a Result.
func (s *NATSSink) Emit(pair uint32, body *signal.Body, receiveNs int64) uint8 {
	result := s.emit(pair, body, receiveNs)
	s.results[result].Add(1)
	return uint8(result)
}

func (s *NATSSink) emit(pair uint32, body *signal.Body, receiveNs int64) Result {
	subject := s.subject(pair, body)
	if subject == "" {
		return ErrorOther
	}
	s.trailer.PublishNs = s.clock.NowNs()
	s.trailer.LatencyNs = 0
	if receiveNs != 0 {
		s.trailer.LatencyNs = s.trailer.PublishNs - receiveNs
		if expired(body, s.trailer.LatencyNs) {
			return Expired
		}
	}
	if s.encoding == Binary {
		s.buffer = signal.AppendBinaryTrailer(signal.AppendBinary(s.buffer[:0], body), &s.trailer)
	} else {
		s.buffer = signal.AppendJSON(s.buffer[:0], body, &s.trailer)
	}
	if err := s.conn.Publish(subject, s.buffer); err != nil {
		return classify(err)
	}
	s.bytes.Store(s.bytes.Load() + uint64(len(s.buffer)))
	return Published
}

// expired reports whether a signal waited longer than it is valid. Engine time and the wall clock are not compared
// with each other: a life is a length of engine time, a wait one of the wall clock.
func expired(body *signal.Body, waitedNs int64) bool {
	if body.ValidUntilNs == 0 || body.Action != signal.ActionEnter && body.Action != signal.ActionUpdate {
		return false
	}
	return waitedNs > body.ValidUntilNs-body.EngineNs
}

// Prepare makes the subject of a pair before its first signal, so that Emit need not.
func (s *NATSSink) Prepare(pair uint32, signalName, venue, symbol string) {
	subject, err := signal.Subject(s.prefix, signalName, venue, symbol)
	if err != nil {
		return // Emit will say so, signal by signal
	}
	s.grow(pair)
	s.subjects[pair] = subject
}

func (s *NATSSink) grow(pair uint32) {
	for int64(len(s.subjects)) <= int64(pair) {
		s.subjects = append(s.subjects, "")
	}
}

// subject returns the pair's subject, made once, or "" if the body's names cannot be published.
func (s *NATSSink) subject(pair uint32, body *signal.Body) string {
	if int64(pair) < int64(len(s.subjects)) && s.subjects[pair] != "" {
		return s.subjects[pair]
	}
	if body.Validate() != nil {
		return ""
	}
	subject, err := signal.Subject(s.prefix, body.Signal, body.Venue, body.Symbol)
	if err != nil {
		return ""
	}
	s.grow(pair)
	s.subjects[pair] = subject
	return subject
}

// classify turns the library's errors into results.
func classify(err error) Result {
	for _, gone := range [...]error{
		nats.ErrReconnectBufExceeded, nats.ErrConnectionClosed, nats.ErrConnectionReconnecting,
		nats.ErrDisconnected, nats.ErrConnectionDraining, nats.ErrStaleConnection, nats.ErrInvalidConnection,
	} {
		if errors.Is(err, gone) {
			return ErrorDisconnected
		}
	}
	return ErrorOther
}

// Stats are the sink's counters.
type Stats struct {
	Results [ResultCount]uint64 // by Result
	Bytes   uint64              // published, without subjects
}

// Stats returns the counters. Any goroutine.
func (s *NATSSink) Stats() Stats {
	stats := Stats{Bytes: s.bytes.Load()}
	for i := range stats.Results {
		stats.Results[i] = s.results[i].Load()
	}
	return stats
}
