package simulate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/replay/journal"
)

// Recorded is what a journal holds of one run, read into memory.
type Recorded struct {
	Ticks       []feed.Tick
	Definitions []journal.Definition
	Outcomes    []Emission
	Ended       bool  // the end blob is there
	Incomplete  error // a torn tail
}

// Read reads a run's journal. What comes before an incomplete tail counts; damage is an error.
func Read(store journal.Store) (*Recorded, error) {
	reader, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	r := &Recorded{}
	for {
		block, err := reader.Next()
		switch {
		case err == io.EOF:
			return r, nil
		case errors.Is(err, journal.ErrIncompleteTail):
			r.Incomplete = err
			return r, nil
		case err != nil:
			return r, fmt.Errorf("journal: %w", err)
		}
		r.Ticks = append(r.Ticks, block.Ticks()...)
		if block.Repeated {
			continue
		}
		for d := range block.Definitions() {
			r.Definitions = append(r.Definitions, d)
		}
		for o := range block.Outcomes() {
			r.Outcomes = append(r.Outcomes, Emission{bytes.Clone(o.Body), o.Result})
		}
		if blob, ok := block.Blob(); ok && blob.Name == replay.EndBlob {
			r.Ended = true
		}
	}
}

// sameTick compares bits: an undefined price is the same as itself.
func sameTick(a, b feed.Tick) bool {
	for i := range a.F {
		if math.Float64bits(a.F[i]) != math.Float64bits(b.F[i]) {
			return false
		}
	}
	a.F, b.F = [4]float64{}, [4]float64{}
	return a == b
}
