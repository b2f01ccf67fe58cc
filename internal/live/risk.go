package live

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/wire"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/publish"
	"github.com/sigengine/sigengine/risk"
)

// addRisk connects what the gates need from outside, and where refused signals go.
func (l *Live) addRisk(ports *engine.Ports) error {
	r := &l.options.Config.Risk
	l.outside = &outside{live: l, watch: factWatch{risk: r}, wake: make(chan struct{}, 1)}
	if l.output != nil && r.Rejected != config.OffWord {
		var err error
		if l.rejects, err = publish.NewRejectionSink(l.output, r.Rejected); err != nil {
			return err
		}
		ports.Refusals = l.rejects
	}
	if p := &l.options.Config.Publish; l.output != nil && p.Current != config.OffWord {
		l.current = &current{partition: l.options.Config.Partition}
		ports.Sink = sinks{ports.Sink, l.current}
	}
	if r.Latency.Limit > 0 {
		breaker, err := risk.NewBreaker(int64(r.Latency.Limit), r.Latency.Late, r.Latency.Of, r.Latency.Clean)
		if err != nil {
			return err
		}
		m := &measured{Sink: ports.Sink, refusals: ports.Refusals, breaker: breaker, outside: l.outside}
		ports.Sink, ports.Refusals = m, m
	}
	if l.journal != nil {
		log := l.options.Log
		l.latches = newLatches(l.options.Config.Journal.Dir, func(err error) {
			log.Error("risk: what is killed and latched could not be kept for a restart", "error", err)
		})
	}
	ports.Latched = l.latched
	return nil
}

// restore sequences what was in force when the run before ended, ahead of any market data.
func (l *Live) restore() error {
	if l.journal == nil {
		return nil
	}
	before, err := readLatches(l.options.Config.Journal.Dir)
	if err != nil {
		return err
	}
	for _, c := range restores(&before, l.options.Config.SignalIndex) {
		l.options.Log.Warn("risk: still in force from the run before", "verb", uint8(c.Verb), "scope", uint8(c.Scope), "signal", c.Signal,
			"instrument", c.Symbol.Venue+"."+c.Symbol.Name)
		if err := l.engine.Command(c); err != nil {
			return err
		}
	}
	return nil
}

// Fills and positions have a ring of their own, which waits rather than drops.
const fillsSlots = 1 << 12

// addFills subscribes the source of fills, if there is one. It comes after all feeds.
func (l *Live) addFills() error {
	subject := l.options.Config.Risk.Fills
	if subject == "" {
		return nil
	}
	inlet, err := feed.NewInlet(feed.InletConfig{
		Name: "fills", Slots: fillsSlots, Instruments: l.shape.Instruments, Full: feed.FullBlock,
	})
	if err != nil {
		return err
	}
	if err := l.engine.AddInlet(inlet); err != nil {
		return err
	}
	decoder := wire.NewFillsDecoder(feed.DecoderOptions{Source: inlet.Source(), Symbols: inlet.Symbols})
	return l.listen(subject, decoder, inlet, config.DefaultFeed().Pending)
}
