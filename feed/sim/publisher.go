package sim

import (
	"fmt"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/wire"
	"github.com/sigengine/sigengine/internal/sleep"
)

// Codec is how a Publisher writes ticks.
type Codec uint8

// The codecs.
const (
	JSON   Codec = 0 // an object a message, or an array of several
	Binary Codec = 1 // a frame
)

// Bounds and defaults of a Publisher.
const (
	TicksPerMessageMax = 4096
	DefaultPrefix      = "md.v1"
)

// lateNs is when a tick counts as late. Timers of an idle machine are within it.
const lateNs = 1_000_000

// PublisherConfig describes a Publisher.
type PublisherConfig struct {
	Market          *Market // the publisher's alone from now on
	Clock           feed.Clock
	Send            func(subject string, payload []byte) error // must not keep payload
	Codec           Codec
	TicksPerMessage int    // 0 is 1
	Prefix          string // of subjects; empty: DefaultPrefix
	Session         uint64 // of binary frames, see wire.NewSession
}

// Publisher sends a market's ticks as messages, each when it is due: market time runs like the clock. It is open loop.
// A receiver that is slow does not slow it, and when it is late itself it catches up without leaving anything out.
//
// Subjects are <prefix>.<venue>.<kind>.<symbol> for a tick a message, and <prefix>.<venue>.batch for several.
// It belongs to one goroutine, and allocates only for an instrument's first messages.
type Publisher struct {
	config   PublisherConfig
	encoder  *wire.Encoder
	subjects [][kindsSent]string
	batch    string // subject of several ticks
	offsetNs int64  // clock minus market time
	started  bool

	ticks    []feed.Tick
	sequence []uint64
	payload  []byte
	subject  string
	dueNs    int64 // of the message in payload, by the clock

	stats PublisherStats
}

// kindsSent is how many kinds have subjects: those up to Gap.
const kindsSent = int(feed.KindGap) + 1

// PublisherStats counts what a publisher has sent.
type PublisherStats struct {
	Messages  uint64
	Ticks     uint64
	Bytes     uint64
	Errors    uint64 // messages that Send refused; their ticks are gone
	LateTicks uint64 // of Ticks: sent over a millisecond after they were due
	LateNsMax int64  // the worst
	BehindNs  int64  // how long the next message had been due when Run ended
}

// NewPublisher returns a publisher. The first tick is due when Pump or Run is first called. Errors wrap ErrConfig.
func NewPublisher(config PublisherConfig) (*Publisher, error) {
	if config.Market == nil || config.Clock == nil || config.Send == nil {
		return nil, fmt.Errorf("%w: a publisher needs a market, a clock and a way to send", ErrConfig)
	}
	if config.TicksPerMessage == 0 {
		config.TicksPerMessage = 1
	}
	if config.TicksPerMessage < 1 || config.TicksPerMessage > TicksPerMessageMax {
		return nil, fmt.Errorf("%w: %d ticks a message; give 1 to %d", ErrConfig, config.TicksPerMessage, TicksPerMessageMax)
	}
	if config.Codec > Binary {
		return nil, fmt.Errorf("%w: codec %d", ErrConfig, config.Codec)
	}
	if config.Prefix == "" {
		config.Prefix = DefaultPrefix
	}
	m := config.Market
	symbols := feed.NewSymbols(m.Len())
	for i := range m.Len() {
		symbol := m.Symbol(i)
		if _, err := symbols.Intern([]byte(symbol.Venue), []byte(symbol.Name)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	return &Publisher{
		config:   config,
		encoder:  wire.NewEncoder(symbols, config.Session),
		subjects: make([][kindsSent]string, m.Len()),
		batch:    config.Prefix + "." + m.config.Venue + ".batch",
		ticks:    make([]feed.Tick, config.TicksPerMessage),
		sequence: make([]uint64, config.TicksPerMessage),
	}, nil
}

// Pump sends what is due at nowNs and returns when the next message is due, both by the publisher's clock.
func (p *Publisher) Pump(nowNs int64) (nextNs int64) {
	if !p.started {
		p.started = true
		p.offsetNs = nowNs - p.config.Market.NowNs()
		p.prepare()
	}
	for p.dueNs <= nowNs {
		p.send(nowNs)
		p.prepare()
	}
	return p.dueNs
}

// messagesALook is how many messages Run sends between two looks at stop: a publisher that cannot keep up always has one due.
const messagesALook = 256

// pump is Pump, for at most so many messages.
func (p *Publisher) pump(nowNs int64, most int) (nextNs int64) {
	if !p.started {
		return p.Pump(nowNs)
	}
	for ; p.dueNs <= nowNs && most > 0; most-- {
		p.send(nowNs)
		p.prepare()
	}
	return p.dueNs
}

// Run pumps until stop is closed. Its goroutine stays on one thread meanwhile, so that it can sleep precisely.
func (p *Publisher) Run(stop <-chan struct{}) {
	sleeper := sleep.New()
	defer sleeper.Close()
	for {
		select {
		case <-stop:
			p.stats.BehindNs = max(p.config.Clock.NowNs()-p.dueNs, 0)
			return
		default:
		}
		nowNs := p.config.Clock.NowNs()
		sleeper.Sleep(time.Duration(p.pump(nowNs, messagesALook) - nowNs))
	}
}

// Stats returns the counters. The publisher's goroutine, or after it has ended.
func (p *Publisher) Stats() PublisherStats { return p.stats }

// prepare makes the next message.
func (p *Publisher) prepare() {
	for i := range p.ticks {
		p.sequence[i] = p.config.Market.Next(&p.ticks[i])
	}
	last := &p.ticks[len(p.ticks)-1]
	p.dueNs = last.ExchangeNs + p.offsetNs
	p.subject = p.batch
	if len(p.ticks) == 1 {
		p.subject = p.tickSubject(last)
	}
	var err error
	if p.config.Codec == Binary {
		p.payload, err = p.encoder.AppendFrame(p.payload[:0], last.ExchangeNs, p.ticks, p.sequence)
	} else {
		p.payload, err = p.appendJSON(p.payload[:0])
	}
	if err != nil {
		panic("sim: a market made a tick that cannot be sent: " + err.Error())
	}
}

func (p *Publisher) appendJSON(text []byte) ([]byte, error) {
	several := len(p.ticks) > 1
	if several {
		text = append(text, '[')
	}
	for i := range p.ticks {
		if i > 0 {
			text = append(text, ',')
		}
		var err error
		tick := &p.ticks[i]
		text, err = wire.AppendJSON(text, p.config.Market.Symbol(int(tick.Instrument)), *tick, p.sequence[i])
		if err != nil {
			return text, err
		}
	}
	if several {
		text = append(text, ']')
	}
	return text, nil
}

func (p *Publisher) tickSubject(tick *feed.Tick) string {
	subject := &p.subjects[tick.Instrument][tick.Kind]
	if *subject == "" {
		symbol := p.config.Market.Symbol(int(tick.Instrument))
		*subject = p.config.Prefix + "." + symbol.Venue + "." + tick.Kind.String() + "." + symbol.Name
	}
	return *subject
}

func (p *Publisher) send(nowNs int64) {
	if late := nowNs - p.dueNs; late > lateNs {
		p.stats.LateTicks += uint64(len(p.ticks))
		p.stats.LateNsMax = max(p.stats.LateNsMax, late)
	}
	if err := p.config.Send(p.subject, p.payload); err != nil {
		p.stats.Errors++
		return
	}
	p.stats.Messages++
	p.stats.Ticks += uint64(len(p.ticks))
	p.stats.Bytes += uint64(len(p.payload))
}
