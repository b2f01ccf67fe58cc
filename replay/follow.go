package replay

import (
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/snapshot"
)

// Following is how snapshots are taken behind a journal that is being written. All of it is called on Follow's goroutine.
type Following struct {
	Due func() bool                    // asked after every block of ticks: is it time for a snapshot?
	Put func(*snapshot.Snapshot) error // takes it; an error ends the following
	// Wait is called where the journal ends for now, and returns when there may be more, or that there will be no more.
	Wait func() (more bool)
	Stop func() bool // asked after every block; a last snapshot is taken then

	last uint64 // tick of the last snapshot
}

// Follow replays a journal behind whoever writes it, and takes snapshots on the way, and one at the end. Options.Build is to be
// set; From may be.
func Follow(store journal.Store, options Options, f Following) (Result, error) {
	options.follow = &f
	return Play(store, options)
}

// behind takes a snapshot if one is due, or the last, and reports whether the following ends.
func (p *Player) behind() (ends bool, err error) {
	f := p.options.follow
	if f == nil || p.recording == nil {
		return f != nil && f.Stop(), nil
	}
	if ends = f.Stop(); ends || f.Due() {
		err = p.put()
	}
	return ends, err
}

// put takes a snapshot, unless the last is of this tick.
func (p *Player) put() error {
	if p.recording == nil || p.chainAt == p.options.follow.last {
		return nil
	}
	if err := p.take(); err != nil {
		return err
	}
	s := p.taken
	p.taken, p.options.follow.last = nil, p.chainAt
	return p.options.follow.Put(s)
}

// wait is called where the journal ends for now, and reports whether it is to be read on.
func (p *Player) wait() (more bool, err error) {
	f := p.options.follow
	if f == nil {
		return false, nil
	}
	if f.Wait() {
		return true, nil
	}
	return false, p.put()
}
