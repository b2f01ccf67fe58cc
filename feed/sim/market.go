package sim

import (
	"fmt"
	"math"

	"github.com/sigengine/sigengine/feed"
)

// Arrivals. Their mean is the configured rate; everything here shapes how they bunch.
const (
	excited      = 0.75   // share of arrivals that earlier arrivals caused
	excitedTicks = 5.0    // how long they go on causing, in mean gaps between ticks
	pace         = 0.865  // what keeps the mean at the rate, for these two
	leanSeconds  = 0.5    // the rate leans to make good what it is ahead or behind, over this
	leanTicks    = 20e3   // or over so many mean gaps, if that is shorter
	leanMax      = 0.6    // but by no more than this share
	recentPick   = 0.35   // share of ticks that go to an instrument ticking just now
	recentCount  = 8      // power of two
	burstFaster  = 6.0    // arrival rate in a news burst
	burstSeconds = 0.15   // mean length of one, but
	burstTicks   = 2000.0 // no more mean gaps between ticks than this
	factorSigma  = 1.6    // market factor a root second, in units of an instrument's sigma
	haltNsMin    = 5e8    // shortest halt
	haltNsSpan   = 2.5e9  // longest is this much longer
	gapLostMax   = 20     // most sequence numbers one gap loses
)

// Stats counts what a market has put into its stream.
type Stats struct {
	Ticks        uint64
	Quotes       uint64
	Trades       uint64
	Halts        uint64
	Resumes      uint64
	DeclaredGaps uint64
	SilentGaps   uint64
	LostInGaps   uint64 // sequence numbers skipped by both kinds of gap
	Locked       uint64
	Crossed      uint64
	AbsentSides  uint64
	Bursts       uint64
}

// Market generates the stream. Make it with New; one goroutine at a time.
type Market struct {
	config      Config
	random      random
	chooser     *chooser
	instruments []instrument
	symbols     []feed.Symbol
	faultLimits [7]uint64 // cumulative, of a million

	nowNs      int64
	fractionNs float64
	excitement float64 // extra arrivals a second, now
	burstEndNs int64
	factor     float64

	recent       [recentCount]uint32
	recentNext   uint32
	opened       int   // instruments that have had their first quote
	quoteNext    int   // instrument that must quote next, or -1
	haltedCount  int   // instruments halted now
	nextResumeNs int64 // the earliest resume of a halted instrument
	stats        Stats
}

// New returns the market of config. The error wraps ErrConfig.
func New(config Config) (*Market, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	m := &Market{
		config:      config,
		instruments: make([]instrument, config.Instruments),
		symbols:     make([]feed.Symbol, config.Instruments),
		nowNs:       config.StartNs,
		quoteNext:   -1,
	}
	weights := make([]float64, config.Instruments)
	for i := range m.instruments {
		m.random.seed(config.Seed, uint64(i)+1)
		m.instruments[i].init(&m.random, config.StartNs)
		m.symbols[i] = feed.Symbol{Venue: config.Venue, Name: fmt.Sprintf("SIM%03d", i)}
		weights[i] = 1 / float64(i+1)
	}
	m.chooser = newChooser(weights)
	m.random.seed(config.Seed, 0)
	f := config.Faults
	limit := uint64(0)
	for i, rate := range [...]uint32{f.Halts, f.DeclaredGaps, f.SilentGaps, f.Locked, f.Crossed, f.AbsentSides, f.Bursts} {
		limit += uint64(rate)
		m.faultLimits[i] = limit
	}
	return m, nil
}

// Len returns the number of instruments.
func (m *Market) Len() int { return len(m.instruments) }

// Symbol names instrument i, 0 to Len()-1.
func (m *Market) Symbol(i int) feed.Symbol { return m.symbols[i] }

// NowNs is the market time of the last tick, Unix nanoseconds.
func (m *Market) NowNs() int64 { return m.nowNs }

// Stats returns the counts so far.
func (m *Market) Stats() Stats { return m.stats }

// Next fills tick with the next event and returns its venue sequence number. Instrument is the index for
// Symbol, ExchangeNs the market time; Seq, ReceiveNs and Source are left zero, for who receives it.
func (m *Market) Next(tick *feed.Tick) (venueSeq uint64) {
	i := m.advance()
	in := &m.instruments[i]
	*tick = feed.Tick{ExchangeNs: m.nowNs, Instrument: uint32(i)}
	m.stats.Ticks++
	switch {
	case in.halted:
		m.resume(tick, i)
	case m.opened < len(m.instruments):
		m.opened++
		m.quote(tick, in)
	case m.quoteNext == i:
		m.quoteNext = -1
		m.move(in)
		m.quote(tick, in)
	default:
		m.move(in)
		m.event(tick, in, i)
	}
	in.venueSeq++
	return in.venueSeq
}

// advance moves market time to the next tick and returns whose it is.
func (m *Market) advance() int {
	m.arrive()
	if m.quoteNext >= 0 {
		return m.quoteNext
	}
	if m.haltedCount > 0 && (m.nowNs >= m.nextResumeNs || m.haltedCount == len(m.instruments)) {
		m.nowNs = max(m.nowNs, m.nextResumeNs)
		return m.firstToResume()
	}
	if m.opened < len(m.instruments) {
		return m.opened
	}
	i := m.pick()
	for m.instruments[i].halted {
		if i++; i == len(m.instruments) {
			i = 0
		}
	}
	m.recent[m.recentNext%recentCount] = uint32(i)
	m.recentNext++
	return i
}

func (m *Market) pick() int {
	word := m.random.bits64()
	if m.recentNext >= recentCount && unit(word) < recentPick {
		return int(m.recent[word&(recentCount-1)])
	}
	return m.chooser.choose(m.random.bits64())
}

// arrive moves market time by one gap between arrivals of a self-exciting process.
func (m *Market) arrive() {
	rate := m.config.RatePerSecond
	elapsed := float64(m.nowNs-m.config.StartNs) * 1e-9
	behind := float64(elapsed*rate) - float64(m.stats.Ticks)
	lean := min(max(behind/min(float64(rate*leanSeconds), leanTicks), -leanMax), leanMax)
	base := rate * (1 - excited)
	if m.nowNs < m.burstEndNs {
		base *= burstFaster
	}
	intensity := float64((float64(base)+m.excitement)*pace) * (1 + lean)
	gapSeconds := m.random.exponential() / intensity
	gapNs := float64(gapSeconds*1e9) + m.fractionNs
	whole := int64(gapNs)
	m.fractionNs = gapNs - float64(whole)
	m.nowNs += whole
	decay := 1 + float64(gapSeconds*rate)/(4*excitedTicks)
	decay *= decay // to the fourth power: close to an exponential
	decay *= decay
	m.excitement = m.excitement/decay + float64(float64(excited*rate)/excitedTicks)
	m.factor += float64(float64(factorSigma*math.Sqrt(gapSeconds)) * m.random.normal())
}

// move brings one instrument's hidden state to now.
func (m *Market) move(in *instrument) {
	wider := 1.0
	if m.nowNs < m.burstEndNs {
		wider = burstWider
	}
	in.step(&m.random, m.nowNs, m.factor, wider)
}

// event makes an ordinary tick, or now and then a fault.
func (m *Market) event(tick *feed.Tick, in *instrument, i int) {
	if draw := m.random.below(1_000_000); draw < m.faultLimits[len(m.faultLimits)-1] {
		m.fault(tick, in, i, draw)
		return
	}
	if in.runLeft > 0 || m.random.uniform() < tradeShare {
		m.trade(tick, in)
		return
	}
	m.quote(tick, in)
}

func (m *Market) quote(tick *feed.Tick, in *instrument) {
	in.quote(&m.random)
	m.stats.Quotes++
	tick.Kind = feed.KindQuote
	tick.F = [4]float64{in.price(in.bid), in.size(in.bidLots), in.price(in.ask), in.size(in.askLots)}
}

func (m *Market) trade(tick *feed.Tick, in *instrument) {
	steps, lots, side := in.trade(&m.random)
	m.stats.Trades++
	tick.Kind = feed.KindTrade
	tick.F = [4]float64{in.price(steps), in.size(lots), float64(side)}
}
