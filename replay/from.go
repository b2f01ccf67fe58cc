package replay

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/snapshot"
)

// identity says what the snapshots of a run under a configuration must say.
func identity(c *config.Config, shape *engine.Config, build string) snapshot.Identity {
	return snapshot.Identity{Build: build, Partition: c.Partition, Program: shape.Fingerprint(), Config: decides(c)}
}

// decides is the hash of what a configuration says about decisions: not how the engine runs, nor whom it talks to.
func decides(c *config.Config) [sha256.Size]byte {
	standard := config.Default()
	part := *c
	part.NATS, part.Publish, part.Journal = standard.NATS, standard.Publish, standard.Journal
	part.Engine = standard.Engine
	part.Engine.InstrumentsMax = c.Engine.InstrumentsMax
	return sha256.Sum256([]byte(part.String()))
}

// begin says where in a journal to begin reading.
func (o *Options) begin(store journal.Store) (journal.ReaderOptions, error) {
	if o.From == nil || o.whole {
		return journal.ReaderOptions{}, nil
	}
	segments, err := journal.Segments(store)
	if err != nil {
		return journal.ReaderOptions{}, fmt.Errorf("replay: %w", err)
	}
	at, err := segmentOf(segments, o.From)
	return journal.ReaderOptions{FromSegment: at}, err
}

// segmentOf returns the segment that holds a snapshot's last tick.
func segmentOf(segments []journal.SegmentInfo, s *snapshot.Snapshot) (index uint64, err error) {
	for _, segment := range segments {
		if segment.Run == s.Run && segment.FirstSeq <= s.State.Sequence {
			index = segment.Index
		}
	}
	if index == 0 {
		return 0, fmt.Errorf("replay: %w: the journal does not hold tick %d of run %d", snapshot.ErrForeign, s.State.Sequence, s.Run)
	}
	return index, nil
}

// suffix returns the ticks of a block that come after the snapshot. The block with its last tick proves that the journal is
// the snapshot's.
func (p *Player) suffix(first uint64, ticks []feed.Tick) ([]feed.Tick, error) {
	s, last := p.from, ticks[len(ticks)-1].Seq
	if p.proven {
		return ticks, nil
	}
	if last < s.State.Sequence {
		return nil, nil
	}
	if err := proves(s, first, last, p.reader.Chain()); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	p.proven = true
	p.result.Skipped = s.State.Sequence
	if err := p.start(s.State.Sequence + 1); err != nil {
		return nil, err
	}
	if cut := p.options.cut; cut != nil && *cut == s.State.Sequence {
		return nil, p.take()
	}
	for len(ticks) > 0 && ticks[0].Seq <= s.State.Sequence {
		ticks = ticks[1:]
	}
	return ticks, nil
}

// proves holds that the block with a snapshot's last tick is the one that the snapshot was taken in, and so that everything
// before is the same.
func proves(s *snapshot.Snapshot, first, last uint64, chain [sha256.Size]byte) error {
	if first > s.State.Sequence || last != s.ChainAt || chain != s.Chain {
		return fmt.Errorf("%w: it is of another journal, or this one was changed: the hash chain at tick %d is not the snapshot's",
			snapshot.ErrForeign, last)
	}
	return nil
}

// restore gives a new engine the state that the run begins with.
func (p *Player) restore() error {
	if p.from == nil {
		return nil
	}
	if err := p.from.Fits(&p.identity); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if err := p.engine.Restore(&p.from.State); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if p.options.Restored != nil {
		p.options.Restored(p.from.State.Sequence)
	}
	return nil
}

// passed holds that the snapshot's last tick was met.
func (p *Player) passed() error {
	if p.from != nil && !p.proven {
		return fmt.Errorf("replay: %w: the journal ends before tick %d", snapshot.ErrForeign, p.from.State.Sequence)
	}
	return nil
}

// ended is called at the end of the journal.
func (p *Player) ended() error {
	if err := p.passed(); err != nil {
		return err
	}
	if cut := p.options.cut; cut != nil && *cut != 0 {
		return fmt.Errorf("replay: the journal ends at tick %d, before tick %d", p.reader.LastSeq(), *cut)
	}
	if p.options.cut != nil && p.recording != nil {
		return p.take()
	}
	return nil
}

// take makes the snapshot.
func (p *Player) take() error {
	state, err := p.recording.Snapshot()
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	p.taken = &snapshot.Snapshot{
		Identity: p.identity, Run: p.run, ChainAt: p.chainAt, Chain: p.chain, State: *state,
	}
	return nil
}

// TakeSnapshot replays a journal up to a tick, 0 for its last, and returns the state after it. Options.Build is to be set; From
// may be: then the snapshot is the state of an earlier one, and the ticks since.
func TakeSnapshot(store journal.Store, options Options, sequence uint64) (*snapshot.Snapshot, Result, error) {
	options.cut = &sequence
	p, err := newPlayer(store, options)
	if err != nil {
		return nil, Result{}, err
	}
	defer p.reader.Close()
	if err := p.play(); err != nil {
		p.abandon()
		return nil, p.result, err
	}
	if err := p.finish(); err != nil {
		return nil, p.result, err
	}
	if p.taken == nil {
		return nil, p.result, errors.New("replay: the journal has no ticks, so there is no state")
	}
	return p.taken, p.result, nil
}

// NewestFor returns the newest snapshot of a folder that a journal can be replayed from: whole, of the journal, and of the
// build and configuration. It reads, for each it looks at, the journal's segment with the snapshot's last tick.
func NewestFor(store journal.Store, dir snapshot.Dir, c *config.Config, build string) (*snapshot.Snapshot, string, []snapshot.Skipped, error) {
	segments, err := journal.Segments(store)
	if err != nil {
		return nil, "", nil, fmt.Errorf("replay: %w", err)
	}
	return dir.Newest(func(s *snapshot.Snapshot) error { return fits(store, segments, s, c, build) })
}

// fits looks whether a snapshot is of a journal, and of its configuration, or the one given.
func fits(store journal.Store, segments []journal.SegmentInfo, s *snapshot.Snapshot, c *config.Config, build string) error {
	at, err := segmentOf(segments, s)
	if err != nil {
		return err
	}
	reader, err := journal.OpenReader(store, journal.ReaderOptions{FromSegment: at})
	if err != nil {
		return err
	}
	defer reader.Close()
	given := c != nil
	for {
		b, err := reader.Next()
		switch {
		case err == io.EOF || errors.Is(err, journal.ErrIncompleteTail) || err == nil && b.Run > s.Run:
			return fmt.Errorf("%w: the journal ends before tick %d", snapshot.ErrForeign, s.State.Sequence)
		case err != nil:
			return err
		case b.Type == journal.TypeConfig && !given:
			recorded, _ := b.Config()
			if c, err = config.Parse(recorded.Name, recorded.Text, nil); err != nil {
				return err
			}
		case b.Type == journal.TypeTicks && b.First+uint64(b.Count)-1 >= s.State.Sequence:
			ticks := b.Ticks()
			if err := proves(s, b.First, ticks[len(ticks)-1].Seq, reader.Chain()); err != nil {
				return err
			}
			return fitsConfig(s, c, build)
		}
	}
}

func fitsConfig(s *snapshot.Snapshot, c *config.Config, build string) error {
	if c == nil {
		return ErrNoConfig
	}
	shape, _, err := setup.Engine(c)
	if err != nil {
		return err
	}
	want := identity(c, &shape, build)
	return s.Fits(&want)
}
