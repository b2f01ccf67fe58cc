package natsfeed

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/metrics"
)

// Defaults of a subscription's pending queue, meant for about 100 ms of a busy feed.
const (
	DefaultPendingMessages = 65536
	DefaultPendingBytes    = 64 << 20
)

// batchTicks is how many ticks are decoded before they are copied to the ring.
const batchTicks = 64

// ErrConfig is wrapped by errors about a SourceConfig, except ErrSubject.
var ErrConfig = errors.New("natsfeed: bad configuration")

// SourceConfig describes one source.
type SourceConfig struct {
	Subject         string       // wildcards allowed
	Decoder         feed.Decoder // made with the inlet's Symbols; this source's alone
	Inlet           *feed.Inlet  // this source's alone, connected to its engine
	Clock           feed.Clock
	PendingMessages int // received and not yet decoded, at most; 0: DefaultPendingMessages
	PendingBytes    int // 0: DefaultPendingBytes

	Decode *metrics.Recorder // gets the time from receipt of a message to its ticks in the ring; nil: not measured
}

func (c *SourceConfig) validate() error {
	if err := ValidateSubject(c.Subject); err != nil {
		return err
	}
	if c.Decoder == nil || c.Inlet == nil || c.Clock == nil {
		return fmt.Errorf("%w: source %q needs a decoder, an inlet and a clock", ErrConfig, c.Subject)
	}
	if c.PendingMessages < 0 || c.PendingBytes < 0 {
		return fmt.Errorf("%w: source %q: negative pending limit; leave out for the default", ErrConfig, c.Subject)
	}
	if c.PendingMessages == 0 {
		c.PendingMessages = DefaultPendingMessages
	}
	if c.PendingBytes == 0 {
		c.PendingBytes = DefaultPendingBytes
	}
	return nil
}

// Source is one subscription.
type Source struct {
	subject string
	inlet   *feed.Inlet
	clock   feed.Clock
	decoder feed.Decoder
	batch   feed.Batch
	timing  *metrics.Recorder // the callback's; nil: none

	// The callback's.
	index uint64 // of the message in hand, from 1

	completed  atomic.Uint64 // messages handled; written by the callback
	bytes      atomic.Uint64 // written by the callback
	staleTicks atomic.Uint64 // written by the callback
	lossUntil  atomic.Uint64 // messages up to this one are older than a hole; 0: no hole
	lossReason atomic.Uint32

	mutex        sync.Mutex // what follows, and losses one at a time
	subscription *nats.Subscription
	droppedSeen  uint64
	done         chan struct{}
}

func newSource(config SourceConfig) *Source {
	return &Source{
		subject: config.Subject,
		inlet:   config.Inlet,
		clock:   config.Clock,
		decoder: config.Decoder,
		timing:  config.Decode,
		batch:   feed.Batch{Ticks: make([]feed.Tick, batchTicks), VenueSeq: make([]uint64, batchTicks)},
		done:    make(chan struct{}),
	}
}

// receive is the subscription's callback.
func (s *Source) receive(message *nats.Msg) { s.handle(message.Data) }

// handle decodes one message into the inlet.
func (s *Source) handle(payload []byte) {
	s.index++
	until := s.lossUntil.Load()
	if until != 0 && s.index > until { // the last older message was in hand when the hole was noticed
		until = s.endLoss()
	}
	s.batch.N = 0
	receiveNs := s.clock.NowNs()
	more := s.decoder.Decode(payload, receiveNs, &s.batch)
	s.offer(until != 0)
	for more {
		s.batch.N = 0
		more = s.decoder.More(&s.batch)
		s.offer(until != 0)
	}
	s.inlet.Flush()
	if s.timing != nil {
		s.timing.Record(s.clock.NowNs() - receiveNs)
	}
	s.bytes.Store(s.bytes.Load() + uint64(len(payload)))
	s.completed.Store(s.index)
	if until = s.lossUntil.Load(); until != 0 && s.index >= until {
		s.endLoss()
	}
}

// offer copies the batch to the inlet; of a stale one, only what must not be missed.
func (s *Source) offer(stale bool) {
	for i := range s.batch.Ticks[:s.batch.N] {
		tick := &s.batch.Ticks[i]
		if stale && tick.Kind.IsMarketData() {
			s.staleTicks.Store(s.staleTicks.Load() + 1)
			continue
		}
		s.inlet.Offer(tick, s.batch.VenueSeq[i])
	}
}

// endLoss marks the hole where it is: everything before it has been handled. It returns what lossUntil is now, not
// zero if there is a later hole.
func (s *Source) endLoss() uint64 {
	for {
		until := s.lossUntil.Load()
		if until == 0 || s.index < until {
			return until
		}
		if s.lossUntil.CompareAndSwap(until, 0) {
			s.inlet.MarkGap(feed.GapReason(s.lossReason.Load()), 0) // counted when it was noticed
		}
	}
}

// lost says that messages went missing after all those received so far; count is 0 if nobody knows how many.
func (s *Source) lost(reason feed.GapReason, count uint64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.lostLocked(reason, count)
}

func (s *Source) lostLocked(reason feed.GapReason, count uint64) {
	s.lossReason.Store(uint32(reason))
	received := s.received()
	for {
		until := s.lossUntil.Load()
		if received <= until || s.completed.Load() >= received {
			break
		}
		if s.lossUntil.CompareAndSwap(until, received) {
			break
		}
	}
	s.inlet.MarkGap(reason, count)
}

// received returns how many messages the subscription has taken in, those still pending among them. Where the two
// counts cannot be read at one moment it is too high by those handled in between; then a few newer messages count as
// older than the hole, which loses them and hides nothing.
func (s *Source) received() uint64 {
	const attempts = 100
	var total uint64
	for range attempts {
		completed := s.completed.Load()
		total = completed + uint64(s.pending())
		if s.completed.Load() == completed {
			break
		}
	}
	return total
}

func (s *Source) pending() int {
	if s.subscription == nil {
		return 0
	}
	messages, _, err := s.subscription.Pending()
	if err != nil { // ended
		return 0
	}
	return messages
}

// look notices messages that the library dropped since the last look.
func (s *Source) look() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if dropped := s.dropped(); dropped > s.droppedSeen {
		count := dropped - s.droppedSeen
		s.droppedSeen = dropped
		s.lostLocked(feed.GapSlowConsumer, count)
	}
}

func (s *Source) dropped() uint64 {
	if s.subscription == nil {
		return s.droppedSeen
	}
	dropped, err := s.subscription.Dropped()
	if err != nil || dropped < 0 { // ended
		return s.droppedSeen
	}
	return uint64(dropped)
}

// ended runs on the callback's goroutine, after the last message.
func (s *Source) ended(string) {
	s.inlet.Close()
	if s.timing != nil {
		s.timing.Close()
	}
	close(s.done)
}

// Done is closed when the source has handled its last message and closed its inlet.
func (s *Source) Done() <-chan struct{} { return s.done }

// Subject returns what the source subscribes to.
func (s *Source) Subject() string { return s.subject }

// Stats are a source's counters at about one moment.
type Stats struct {
	Subject         string
	Messages        uint64 // handled
	Bytes           uint64 // of those
	StaleTicks      uint64 // decoded but older than a hole, and so not offered
	Dropped         uint64 // messages lost because the pending queue was full
	PendingMessages int    // received, not yet handled
	PendingBytes    int
	Decode          feed.DecodeCounts
	Inlet           feed.InletStats
}

// Stats returns the counters. Any goroutine.
func (s *Source) Stats() Stats {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	stats := Stats{
		Subject:    s.subject,
		Messages:   s.completed.Load(),
		Bytes:      s.bytes.Load(),
		StaleTicks: s.staleTicks.Load(),
		Dropped:    s.dropped(),
		Decode:     s.decoder.Stats().Counts(),
		Inlet:      s.inlet.Stats(),
	}
	if s.subscription != nil {
		if messages, bytes, err := s.subscription.Pending(); err == nil {
			stats.PendingMessages, stats.PendingBytes = messages, bytes
		}
	}
	return stats
}
