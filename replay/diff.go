package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/signal"
)

// Comparison is the outcome of Diff.
type Comparison struct {
	Ticks      uint64      // compared; 0 unless both are journals
	Signals    uint64      // compared
	TickAt     uint64      // sequence of the first tick that differs, 0 if none
	TickA      *feed.Tick  // nil: that side has no more
	TickB      *feed.Tick  //
	Difference *Difference // the first signal that differs, nil if none
}

// Same reports whether no difference was found.
func (c *Comparison) Same() bool { return c.TickAt == 0 && c.Difference == nil }

// Diff finds the first difference between two accounts: journals (directories) or outputs (files with one JSON signal a
// line). Of two journals the ticks are compared too. Generation and output sequence are ignored: they tell who decided,
// not what.
func Diff(pathA, pathB string) (Comparison, error) {
	a, err := openAccount(pathA)
	if err != nil {
		return Comparison{}, err
	}
	b, err := openAccount(pathB)
	if err != nil {
		return Comparison{}, err
	}
	var c Comparison
	if a.ticks != nil && b.ticks != nil {
		if err := c.compareTicks(a, b); err != nil {
			return c, err
		}
	}
	return c, c.compareSignals(a, b)
}

// account is one side: iterators that end at an error, which failed then holds.
type account struct {
	path    string
	ticks   iter.Seq[feed.Tick] // nil: an output, which has none
	signals iter.Seq[signal.Body]
	failed  error
}

func openAccount(path string) (*account, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	a := &account{path: path}
	if !info.IsDir() {
		a.signals = a.output
		return a, nil
	}
	a.ticks, a.signals = a.journalTicks, a.journalSignals
	return a, nil
}

// blocks iterates over a journal. An incomplete tail ends it like an end does.
func (a *account) blocks(yield func(*journal.Block) bool) {
	reader, err := journal.OpenReader(journal.NewDirStore(a.path), journal.ReaderOptions{})
	if err != nil {
		a.failed = fmt.Errorf("replay: %s: %w", a.path, err)
		return
	}
	defer reader.Close()
	for {
		block, err := reader.Next()
		if err == io.EOF || errors.Is(err, journal.ErrIncompleteTail) {
			return
		}
		if err != nil {
			a.failed = fmt.Errorf("replay: %s: %w", a.path, err)
			return
		}
		if !yield(block) {
			return
		}
	}
}

func (a *account) journalTicks(yield func(feed.Tick) bool) {
	for block := range a.blocks {
		for _, tick := range block.Ticks() {
			if !yield(tick) {
				return
			}
		}
	}
}

func (a *account) journalSignals(yield func(signal.Body) bool) {
	for block := range a.blocks {
		for o := range block.Outcomes() {
			body, _, err := signal.DecodeBinary(o.Body)
			if err != nil {
				a.failed = fmt.Errorf("replay: %s: outcome %d: %w", a.path, o.Number, err)
				return
			}
			if !yield(body) {
				return
			}
		}
	}
}

func (a *account) output(yield func(signal.Body) bool) {
	file, err := os.Open(a.path)
	if err != nil {
		a.failed = fmt.Errorf("replay: %w", err)
		return
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, feed.MessageBytesMax)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		body, _, err := signal.Decode(lines.Bytes())
		if err != nil {
			a.failed = fmt.Errorf("replay: %s, line %d: %w", a.path, number, err)
			return
		}
		if !yield(body) {
			return
		}
	}
	if err := lines.Err(); err != nil {
		a.failed = fmt.Errorf("replay: %s: %w", a.path, err)
	}
}

func (c *Comparison) compareTicks(a, b *account) error {
	nextA, stopA := iter.Pull(a.ticks)
	defer stopA()
	nextB, stopB := iter.Pull(b.ticks)
	defer stopB()
	for {
		x, okA := nextA()
		y, okB := nextB()
		if err := errors.Join(a.failed, b.failed); err != nil {
			return err
		}
		if !okA && !okB {
			return nil
		}
		if okA && okB && sameTick(&x, &y) {
			c.Ticks++
			continue
		}
		if okA {
			c.TickAt, c.TickA = x.Seq, &x
		}
		if okB {
			c.TickAt, c.TickB = y.Seq, &y
		}
		return nil
	}
}

// sameTick compares bits, since undefined is not equal to itself.
func sameTick(x, y *feed.Tick) bool {
	for i := range x.F {
		if math.Float64bits(x.F[i]) != math.Float64bits(y.F[i]) {
			return false
		}
	}
	a, b := *x, *y
	a.F, b.F = [4]float64{}, [4]float64{}
	return a == b
}

func (c *Comparison) compareSignals(a, b *account) error {
	nextA, stopA := iter.Pull(a.signals)
	defer stopA()
	nextB, stopB := iter.Pull(b.signals)
	defer stopB()
	for {
		x, okA := nextA()
		y, okB := nextB()
		if err := errors.Join(a.failed, b.failed); err != nil {
			return err
		}
		if !okA && !okB {
			return nil
		}
		if okA && okB && sameSignal(x, y) {
			c.Signals++
			continue
		}
		c.Difference = &Difference{Number: c.Signals + 1}
		if okA {
			c.Difference.A = &x
		}
		if okB {
			c.Difference.B = &y
		}
		return nil
	}
}

func sameSignal(x, y signal.Body) bool {
	x.Generation, y.Generation = 0, 0
	x.OutputSequence, y.OutputSequence = 1, 1
	return bytes.Equal(signal.AppendBinary(nil, &x), signal.AppendBinary(nil, &y))
}
