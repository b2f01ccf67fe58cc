package replay

import (
	"errors"
	"fmt"
	"io"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/snapshot"
)

// Errors of replays.
var (
	ErrNoConfig = errors.New("replay: the journal carries no configuration with signals (it was recorded without); give one with -c FILE")
	ErrBegin    = errors.New("replay: the journal does not begin at its first tick (older segments were removed), so what the engine knew then is lost")
)

// Options say how to replay. The zero value replays as recorded, as fast as possible, publishing nothing.
type Options struct {
	Config *config.Config       // instead of the journal's own; nil: the journal's
	Shape  func(*engine.Config) // changes lanes, batch or mode; these never change the result
	Sink   engine.Sink          // gets every decided signal
	// Prepare may change an engine before it is made, for a run's configuration: another program that decides the same, an
	// observer. An error ends the replay.
	Prepare func(*config.Config, *engine.Config, *engine.Ports) error
	Clock   feed.Clock                    // for latencies and pace; nil: no latencies, no pace
	Pace    func(receiveNs int64)         // waits until a tick is due; nil: as fast as possible
	Stages  *metrics.Stages               // gets latencies; nil: none
	Blocks  func(*journal.Block)          // sees every block, before it is applied
	Begin   func(run uint64)              // is told of every run
	Done    func(ticks, lastSeq uint64)   // progress, once a block
	End     func(run uint64, hash string) // is told when a run has been replayed

	Cancelled func() error // asked before every block; an error ends the replay

	Build string // what this program is, as snapshots say it
	// From is where to begin: after a snapshot's last tick, in its run. nil: at the journal's first tick.
	From *snapshot.Snapshot
	// Restored is told when the state of From has been taken over, before the first tick after it.
	Restored func(sequence uint64)

	whole bool    // with From: read the journal from its oldest segment on all the same
	cut   *uint64 // take a snapshot after this tick, 0: the last; and end

	follow *Following // replay behind the writer
}

// Result is what a replay gave.
type Result struct {
	Ticks       uint64 // applied, heartbeats and gaps included
	Skipped     uint64 // sequence of the snapshot's last tick: it and those before it were not applied
	Signals     uint64 // decided
	Suppressed  uint64
	Rejected    metrics.Counts // by gate
	Gaps        uint64
	Instruments uint64
	Late        uint64
	LateDrops   uint64
	Runs        uint64
	OutputHash  string // of the last run
	Incomplete  error  // not nil: the journal ends within a block (a *journal.IncompleteTailError)
	Lanes       int
	Batch       int
	Fused       bool
	GPU         *metrics.GPU // of the last run; nil: the CPU ran the program
}

// Player replays one journal. One goroutine.
type Player struct {
	options   Options
	reader    *journal.Reader
	engine    *engine.Engine
	recording *engine.Recording
	result    Result
	run       uint64
	config    *config.Config // of the run
	recorded  []string       // signals of the configuration it was recorded with, if replayed with another; nil: not known
	pending   []journal.Definition
	live      bool               // a tick of the run was applied
	from      *snapshot.Snapshot // where the run begins; nil: at its first tick
	proven    bool               // the journal is that of from
	taken     *snapshot.Snapshot
	chainAt   uint64            // the last tick of the last block of ticks
	chain     [32]byte          // the journal's chain value after that block
	identity  snapshot.Identity // of the run's engine
}

// Play replays a whole journal.
func Play(store journal.Store, options Options) (Result, error) {
	p, err := newPlayer(store, options)
	if err != nil {
		return Result{}, err
	}
	defer p.reader.Close()
	if err := p.play(); err != nil {
		p.abandon()
		return p.result, err
	}
	return p.result, p.finish()
}

// newPlayer opens the journal where the replay begins.
func newPlayer(store journal.Store, options Options) (*Player, error) {
	at, err := options.begin(store)
	if err != nil {
		return nil, err
	}
	reader, err := journal.OpenReader(store, at)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return &Player{options: options, reader: reader, from: options.From}, nil
}

func (p *Player) play() error {
	for {
		if p.options.Cancelled != nil {
			if err := p.options.Cancelled(); err != nil {
				return err
			}
		}
		block, err := p.next()
		if err != nil || block == nil {
			return err
		}
		if p.from != nil && block.Run < p.from.Run {
			continue
		}
		if block.Run != p.run {
			if err := p.begin(block.Run); err != nil {
				return err
			}
		}
		if p.options.Blocks != nil {
			p.options.Blocks(block)
		}
		if err := p.block(block); err != nil {
			return err
		}
		if p.taken != nil {
			return nil
		}
		if ends, err := p.behind(); ends || err != nil {
			return err
		}
	}
}

// next returns the next block, nil at the end.
func (p *Player) next() (*journal.Block, error) {
	for {
		block, err := p.reader.Next()
		incomplete := errors.Is(err, journal.ErrIncompleteTail)
		if err != io.EOF && !incomplete {
			if err != nil {
				err = fmt.Errorf("replay: %w", err)
			}
			return block, err
		}
		more, waited := p.wait()
		if waited != nil {
			return nil, waited
		}
		if more {
			continue
		}
		if incomplete {
			p.result.Incomplete = err
		}
		return nil, p.ended()
	}
}

// begin starts a run: the engine started anew there, so does the replay.
func (p *Player) begin(run uint64) error {
	if p.from != nil && run > p.from.Run {
		if err := p.passed(); err != nil {
			return err
		}
		p.from = nil
	}
	if err := p.finish(); err != nil {
		return err
	}
	p.run, p.live, p.config, p.pending = run, false, p.options.Config, nil
	p.recorded = nil
	p.engine, p.recording = nil, nil
	p.result.Runs++
	if p.options.Begin != nil {
		p.options.Begin(run)
	}
	return nil
}

func (p *Player) block(b *journal.Block) error {
	switch b.Type {
	case journal.TypeConfig:
		return p.configure(b)
	case journal.TypeDefinition:
		for d := range b.Definitions() {
			if d.Class == journal.ClassInstrument {
				p.pending = append(p.pending, d)
			}
		}
	case journal.TypeTicks:
		return p.ticks(b)
	}
	return nil
}

// configure takes a configuration of the journal, unless one was given.
func (p *Player) configure(b *journal.Block) error {
	recorded, _ := b.Config()
	if b.Repeated && (p.from == nil || p.recording != nil) {
		return nil
	}
	if p.options.Config != nil {
		p.recorded = signalNames(config.Parse(recorded.Name, recorded.Text, nil))
		return nil
	}
	if p.live || p.recording != nil {
		return fmt.Errorf("replay: the journal changes its configuration at tick %d, which this version does not do", b.First)
	}
	c, err := config.Parse(recorded.Name, recorded.Text, nil)
	if err != nil {
		return fmt.Errorf("replay: configuration in the journal: %w", err)
	}
	p.config = c
	return nil
}

func (p *Player) ticks(b *journal.Block) error {
	ticks := b.Ticks()
	p.chainAt, p.chain = ticks[len(ticks)-1].Seq, p.reader.Chain()
	if p.from != nil {
		var err error
		if ticks, err = p.suffix(b.First, ticks); err != nil || len(ticks) == 0 {
			return err
		}
	}
	if p.recording == nil {
		if err := p.start(ticks[0].Seq); err != nil {
			return err
		}
	}
	for i := range ticks {
		if len(p.pending) > 0 && p.pending[0].At <= ticks[i].Seq {
			if err := p.define(ticks[i].Seq); err != nil {
				return err
			}
		}
		if p.options.Pace != nil {
			p.options.Pace(ticks[i].ReceiveNs)
		}
		tick := ticks[i]
		if err := p.translate(&tick); err != nil {
			return err
		}
		if err := p.recording.Tick(&tick); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		if p.options.cut != nil && *p.options.cut == tick.Seq {
			p.result.Ticks += uint64(i + 1)
			return p.take()
		}
	}
	p.live = true
	p.result.Ticks += uint64(len(ticks))
	if p.options.Done != nil {
		p.options.Done(p.result.Ticks, ticks[len(ticks)-1].Seq)
	}
	return nil
}

// define makes the instruments known that are first named by the tick of sequence seq or earlier.
func (p *Player) define(seq uint64) error {
	for len(p.pending) > 0 && p.pending[0].At <= seq {
		d := p.pending[0]
		p.pending = p.pending[1:]
		if err := p.recording.Define(d.ID, d.Source, feed.Symbol{Venue: d.Venue, Name: d.Symbol}); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	return nil
}

// start makes the engine of a run, at its first tick.
func (p *Player) start(first uint64) error {
	if first != 1 && p.from == nil && p.result.Ticks == 0 && p.result.Skipped == 0 {
		return fmt.Errorf("%w: it begins at tick %d", ErrBegin, first)
	}
	if p.config == nil || len(p.config.Signals) == 0 {
		return ErrNoConfig
	}
	shape, _, err := setup.Engine(p.config)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	shape.Mode = engine.ModeFused
	if p.options.Pace == nil {
		shape.Batch = max(shape.Batch, replayBatch)
	} else {
		shape.Batch = 1 // a signal leaves when its tick is due
	}
	if p.options.Shape != nil {
		p.options.Shape(&shape)
	}
	ports := engine.Ports{Clock: p.options.Clock, Sink: p.options.Sink}
	if ports.Clock == nil {
		ports.Clock = feed.NewManualClock(0)
	} else if p.options.Stages != nil {
		ports.Timing = engine.NewTiming(ports.Clock, p.options.Stages, shape.Lanes)
	}
	if p.options.Prepare != nil {
		if err := p.options.Prepare(p.config, &shape, &ports); err != nil {
			return err
		}
	}
	if p.engine, err = engine.New(shape, ports); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	p.result.Lanes, p.result.Batch, p.result.Fused = shape.Lanes, shape.Batch, p.engine.Fused()
	p.identity = identity(p.config, &shape, p.options.Build)
	if err := p.restore(); err != nil {
		return err
	}
	p.recording = p.engine.Record()
	return nil
}

// replayBatch is how many ticks a replay that need not be on time takes at once.
const replayBatch = 256

// abandon ends the engine after an error; its results are not used.
func (p *Player) abandon() {
	if p.recording != nil {
		_ = p.recording.Close() // the error that came first is told
		p.recording = nil
	}
}

// finish ends a run and adds up what it gave.
func (p *Player) finish() error {
	if p.recording == nil {
		return nil
	}
	err := p.recording.Close()
	p.recording = nil
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	hash, signals := p.engine.OutputHash()
	c, r := p.engine.Counts(), p.engine.Rejections()
	p.result.OutputHash, p.result.GPU = hash, p.engine.GPU()
	p.result.Signals += signals
	p.result.Suppressed += r.Suppressed.Load()
	p.result.Gaps += c.Gaps.Load()
	p.result.Instruments = max(p.result.Instruments, c.Instruments.Load())
	p.result.Late += c.Late.Load()
	p.result.LateDrops += c.LateDropped.Load()
	p.result.Rejected = addCounts(p.result.Rejected, setup.Rejected(r))
	if p.options.End != nil {
		p.options.End(p.run, hash)
	}
	return nil
}

func addCounts(sum, more metrics.Counts) metrics.Counts {
	if sum == nil {
		return more
	}
	for i := range sum {
		sum[i].N += more[i].N
	}
	return sum
}
