package explain

import (
	"errors"
	"fmt"
	"io"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
)

// place is where a tick is in a journal: the tick, the run, and what was known then.
type place struct {
	tick    feed.Tick
	run     uint64
	config  *config.Config // of the run; nil if it recorded without
	symbols map[uint32]feed.Symbol
}

// locate finds a tick. It reads the journal up to there and runs nothing.
func locate(store journal.Store, seq uint64) (*place, error) {
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	defer reader.Close()
	p := &place{symbols: map[uint32]feed.Symbol{}}
	var text journal.Config
	first, last := uint64(0), uint64(0)
	for {
		block, err := reader.Next()
		switch {
		case err == io.EOF || errors.Is(err, journal.ErrIncompleteTail):
			return nil, outside(seq, first, last)
		case err != nil:
			return nil, fmt.Errorf("explain: %w", err)
		}
		if block.Run != p.run {
			p.run, text = block.Run, journal.Config{}
			clear(p.symbols)
		}
		for d := range block.Definitions() {
			if d.Class == journal.ClassInstrument {
				p.symbols[d.ID] = feed.Symbol{Venue: d.Venue, Name: d.Symbol}
			}
		}
		if c, ok := block.Config(); ok && !(block.Repeated && text.Text != nil) {
			text = journal.Config{Name: c.Name, Text: append([]byte{}, c.Text...)}
		}
		for _, tick := range block.Ticks() {
			if first == 0 {
				first = tick.Seq
			}
			last = tick.Seq
			if tick.Seq == seq {
				p.tick = tick
				return p, p.parse(text)
			}
		}
	}
}

func outside(seq, first, last uint64) error {
	if last == 0 {
		return &TickError{Seq: seq, Reason: "is not in the journal, which holds no ticks"}
	}
	return &TickError{Seq: seq, Reason: fmt.Sprintf("is not in the journal, which holds ticks %d to %d", first, last)}
}

func (p *place) parse(text journal.Config) error {
	if text.Text == nil {
		return nil
	}
	var err error
	if p.config, err = config.Parse(text.Name, text.Text, nil); err != nil {
		return fmt.Errorf("explain: configuration in the journal: %w", err)
	}
	return nil
}

// instrument finds the id of an instrument by its text, venue.symbol.
func (p *place) instrument(text string) (uint32, error) {
	var known []string
	for id := range uint32(len(p.symbols)) {
		if s, ok := p.symbols[id]; ok {
			name := s.Venue + "." + s.Name
			if name == text {
				return id, nil
			}
			known = append(known, name)
		}
	}
	return 0, &UnknownError{What: "instrument", Name: text, Known: known}
}

// ready reports why nothing can be explained at the place; ErrNoConfig if there are no signals.
func (p *place) ready() error {
	if p.config == nil || len(p.config.Signals) == 0 {
		return fmt.Errorf("explain: %w", replay.ErrNoConfig)
	}
	return nil
}
