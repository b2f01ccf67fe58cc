package live

import (
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/control"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/risk"
)

// face is what operators see of a run.
type face struct {
	l   *Live
	who control.Who
}

func newFace(l *Live) *face {
	c := l.options.Config
	return &face{l: l, who: control.Who{
		Version: control.Version, Partition: c.Partition, Instance: l.options.instance(), Epoch: uint64(l.startNs),
		Build: l.options.Build, Generation: setup.Generation, ConfigHash: c.Hash(),
	}}
}

var _ control.Engine = (*face)(nil)

// Who says which instance it is.
func (f *face) Who() control.Who { return f.who }

// NowNs is the engine's clock.
func (f *face) NowNs() int64 { return f.l.options.Clock.NowNs() }

// Command sequences a command.
func (f *face) Command(c engine.Command) error { return f.l.engine.Command(c) }

// InForce returns what the desk told last, and how often it has told.
func (f *face) InForce() (risk.Latches, uint64) {
	told := f.l.inForce.Load()
	if told == nil {
		return risk.Latches{}, 0
	}
	return told.latches, told.number
}

// told is what was in force when the desk told for the number-th time.
type told struct {
	latches risk.Latches
	number  uint64
}

// latched keeps what is in force, for operators and for a restart. Desk's goroutine.
func (l *Live) latched(now risk.Latches) {
	next := &told{latches: now, number: 1}
	if before := l.inForce.Load(); before != nil {
		next.number = before.number + 1
	}
	l.inForce.Store(next)
	if l.latches != nil {
		l.latches.put(now)
	}
}

// Beat returns a heartbeat.
func (f *face) Beat() control.Beat {
	counts := f.l.engine.Counts()
	latches, _ := f.InForce()
	return control.Beat{
		Who: f.who, AtNs: f.NowNs(), Sequence: counts.Sequenced.Load(), Signals: counts.Signals.Load(),
		State: f.l.engine.State().String(), InForce: latches.Any(),
	}
}

// Status tells everything.
func (f *face) Status() control.Status {
	l := f.l
	r, beat := l.Status(), f.Beat()
	s := control.Status{
		Who: f.who, UptimeS: r.ElapsedS, Executor: r.Executor, GPU: r.GPU, Mode: r.Mode, Lanes: r.Lanes, Sequence: beat.Sequence,
		Ticks: r.Ticks, Signals: r.Signals, Instruments: r.Instruments, Dropped: r.Dropped, Gaps: r.Gaps, Malformed: r.Malformed.Sum(),
		Suppressed: r.Suppressed, PublishErrors: r.PublishErrors, Rejected: map[string]uint64{}, State: beat.State,
		ConfigKills: []string{}, Facts: []string{}, Journal: r.Journal,
	}
	for _, gate := range r.Rejected {
		if gate.N > 0 {
			s.Rejected[gate.Name] = gate.N
		}
	}
	s.InForce, _ = f.InForce()
	s.Input, s.Output = l.Connected()
	if stats, ok := l.JournalStats(); ok {
		s.Journaled = stats.Ticks
	}
	for _, k := range l.options.Config.Risk.Kill {
		s.ConfigKills = append(s.ConfigKills, k.String())
	}
	holds := l.outside.holds.Load()
	for fact := feed.Fact(1); fact < feed.FactCount; fact++ {
		if holds>>fact&1 != 0 {
			s.Facts = append(s.Facts, fact.String())
		}
	}
	return s
}

// serve begins to answer operators and to send heartbeats.
func (w *outside) serve() error {
	l := w.live
	if l.options.Quiet || w.control == nil {
		return nil
	}
	var err error
	w.service, err = control.Serve(control.Options{
		Config: l.options.Config, Connection: w.control, Engine: newFace(l), Log: l.options.Log, Explain: l.options.Explain,
		Journal: l.Status().Journal,
	})
	return err
}

// once lets an error be logged when it differs from the one before: a right that is missing is missed at every heartbeat.
type once struct{ last string }

func (o *once) news(err error) bool {
	text := err.Error()
	if text == o.last {
		return false
	}
	o.last = text
	return true
}
