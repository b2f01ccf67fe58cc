package journal

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/ring"
)

// Writer owns a journal: it takes blocks from the appenders and writes them, on its own goroutine unless
// Options.Inline. One writer a journal at a time, which Store.Lock sees to.
type Writer struct {
	options  Options
	lock     io.Closer
	ticks    *TickAppender
	outcomes *OutcomeAppender
	resumed  Resumed

	tickRing    *ring.Ring[buffer]
	outcomeRing *ring.Ring[buffer]
	segments    segmentWriter

	failure  atomic.Pointer[failure]
	counters counters
	stopping atomic.Bool
	stopped  chan struct{}
	closed   bool
}

type failure struct{ err error }

// Resumed says where an existing journal was taken up.
type Resumed struct {
	Run         uint64       // of this writer: how often the journal has been opened, from 1
	NextSeq     uint64       // the sequence that the next tick must have; if sparse, at least have
	Outcomes    uint64       // journaled so far
	Definitions []Definition // in force, in the order they were given
	Configs     []Config     // the last of each name
	CutSegment  string       // where an incomplete tail was cut off, "" if nowhere
	CutBytes    int64        // how much was cut off
}

// OpenWriter opens a journal for writing, a new one if the store has no segments, else after what is there. An incomplete
// tail is cut off; damage refuses with *DamageError. A new segment is begun in either case.
func OpenWriter(store Store, options Options) (*Writer, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	lock, err := store.Lock()
	if err != nil {
		return nil, err
	}
	w := &Writer{options: options, lock: lock, stopped: make(chan struct{})}
	w.segments = segmentWriter{store: store, options: &w.options, counters: &w.counters}
	if w.resumed, err = w.segments.resume(); err == nil {
		err = w.segments.begin()
	}
	if err == nil {
		err = w.segments.retain()
	}
	if err != nil {
		return nil, errors.Join(err, w.segments.end(), lock.Close())
	}
	if err := w.makeAppenders(); err != nil {
		return nil, errors.Join(err, w.segments.end(), lock.Close())
	}
	if !options.Inline {
		go w.run()
	}
	return w, nil
}

func (w *Writer) makeAppenders() (err error) {
	tickSlots := make([]buffer, w.options.TickBlocks)
	ticks := w.options.BlockBytes / feed.TickSize
	for i := range tickSlots {
		tickSlots[i].ticks, tickSlots[i].venue = make([]feed.Tick, ticks), make([]uint64, ticks)
	}
	outcomeSlots := make([]buffer, w.options.OutcomeBlocks)
	for i := range outcomeSlots {
		outcomeSlots[i].bytes = make([]byte, 0, w.options.BlockBytes)
	}
	if w.tickRing, err = ring.New(tickSlots); err != nil {
		return err
	}
	if w.outcomeRing, err = ring.New(outcomeSlots); err != nil {
		return err
	}
	w.ticks = &TickAppender{
		ticks:       make([]feed.Tick, ticks),
		venue:       make([]uint64, ticks),
		next:        w.resumed.NextSeq,
		sparse:      w.options.Sparse,
		definitions: make([]byte, 0, w.options.BlockBytes),
		out:         handOver{w.tickRing, w, &w.counters.ticksBlocked},
	}
	w.outcomes = &OutcomeAppender{
		bytes:  make([]byte, 0, w.options.BlockBytes),
		number: w.resumed.Outcomes + 1,
		out:    handOver{w.outcomeRing, w, &w.counters.outcomesBlocked},
	}
	return nil
}

// Ticks returns the sequencer's appender.
func (w *Writer) Ticks() *TickAppender { return w.ticks }

// Outcomes returns risk's appender.
func (w *Writer) Outcomes() *OutcomeAppender { return w.outcomes }

// Resumed says where the journal was taken up.
func (w *Writer) Resumed() Resumed { return w.resumed }

// Failed reports that the journal ended with an error and the engine must fail closed: under ErrorStop only. Any
// goroutine; one load.
func (w *Writer) Failed() bool { return w.failure.Load() != nil && w.options.OnError == ErrorStop }

// Err returns the error that ended the journal, nil if none did. Any goroutine.
func (w *Writer) Err() error {
	if f := w.failure.Load(); f != nil {
		return f.err
	}
	return nil
}

// fail ends the journal. The first error stays.
func (w *Writer) fail(err error) {
	if w.failure.Load() == nil {
		w.failure.CompareAndSwap(nil, &failure{err})
	}
}

func (w *Writer) tooLarge(bytes int) {
	w.fail(fmt.Errorf("%w: outcome of %d bytes", ErrTooLarge, bytes))
}

// Close journals what the appenders still hold, makes it durable unless SyncNone, and closes. The goroutines of both
// appenders must have stopped using them. It returns the error that ended the journal, if one did.
func (w *Writer) Close() error {
	if w.closed {
		return ErrClosed
	}
	w.closed = true
	w.ticks.handOver()
	w.outcomes.handOver()
	if w.options.Inline {
		w.drainAll()
	} else {
		w.stopping.Store(true)
		<-w.stopped
	}
	w.tickRing.Close()
	w.outcomeRing.Close()
	w.tickRing.Abandon()
	w.outcomeRing.Abandon()
	if err := w.segments.end(); err != nil {
		w.fail(err)
	}
	if err := w.lock.Close(); err != nil {
		w.fail(err)
	}
	return w.Err()
}

// run is the writer goroutine.
func (w *Writer) run() {
	defer close(w.stopped)
	for turn := 0; ; turn++ {
		stopping := w.stopping.Load() // before Poll: what was handed over before it is then seen
		if w.Poll() {
			turn = 0
		} else if stopping {
			return
		} else {
			pause(turn)
		}
	}
}

func (w *Writer) drainAll() {
	for w.Poll() {
	}
}

// pollBlocks is how many blocks of a ring one turn takes, so that one producer cannot starve the other or the sync.
const pollBlocks = 8

// Poll writes some of the blocks that are waiting, syncs if that is due, and reports whether there were any. Only with
// Options.Inline, where it belongs to the one goroutine; otherwise the writer goroutine calls it.
func (w *Writer) Poll() bool {
	worked := w.take(w.tickRing)
	worked = w.take(w.outcomeRing) || worked
	if w.failure.Load() == nil {
		if err := w.segments.settle(); err != nil {
			w.fail(err)
		}
	}
	return worked
}

func (w *Writer) take(from *ring.Ring[buffer]) bool {
	blocks := from.PollMax(pollBlocks)
	for i := range blocks {
		block := &blocks[i]
		if w.failure.Load() != nil {
			w.segments.lose(block)
		} else if err := w.segments.add(block); err != nil {
			w.fail(err)
		}
		if cap(block.bytes) > w.options.BlockBytes {
			block.bytes = nil // a large config or blob
		}
	}
	from.Release(len(blocks))
	return len(blocks) > 0
}

// pause waits a little, longer the more turns there was nothing: at first only for other goroutines, at most 1 ms.
func pause(turn int) {
	switch {
	case turn < 32:
		runtime.Gosched()
	case turn < 64:
		time.Sleep(50 * time.Microsecond)
	default:
		time.Sleep(time.Millisecond)
	}
}
