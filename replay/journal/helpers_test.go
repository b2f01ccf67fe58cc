package journal_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
)

// testClock is a clock that moves one millisecond a reading.
func testClock() func() int64 {
	now := int64(1_700_000_000_000_000_000)
	return func() int64 { now += 1_000_000; return now }
}

// inlineOptions are the smallest blocks and segments, written on the test's goroutine.
func inlineOptions() journal.Options {
	return journal.Options{
		Partition: "test", NowNs: testClock(), BlockBytes: 4 << 10, TickBlocks: 2, OutcomeBlocks: 2,
		SegmentBytes: 64 << 10, Inline: true,
	}
}

// testTick is a tick whose every field depends on its sequence.
func testTick(seq uint64) feed.Tick {
	return feed.Tick{
		Seq: seq, ExchangeNs: int64(seq) * 7, ReceiveNs: int64(seq) * 11, Instrument: uint32(seq % 5), Kind: feed.KindQuote,
		Flags: feed.Flags(seq & 7), Source: uint16(seq % 3), F: [4]float64{float64(seq), 0.5, feed.NaN(), -float64(seq)},
	}
}

func open(t testing.TB, store journal.Store, options journal.Options) *journal.Writer {
	t.Helper()
	w, err := journal.OpenWriter(store, options)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// appendTicks appends count ticks, every third with a venue sequence.
func appendTicks(w *journal.Writer, count int) {
	for range count {
		tick := testTick(w.Ticks().NextSeq())
		venue := uint64(0)
		if tick.Seq%3 == 0 {
			venue = tick.Seq * 1000
		}
		w.Ticks().Append(&tick, venue)
	}
}

// readAll renders everything that can be read and returns the error that ended it. A record is one string, so that what
// was read can be compared and checked to be a prefix.
func readAll(store journal.Store) (records []string, err error) {
	r, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readOn(r)
}

func readOn(r *journal.Reader) (records []string, err error) {
	for {
		block, err := r.Next()
		if err != nil {
			return records, err
		}
		records = append(records, render(block)...)
	}
}

func render(b *journal.Block) (records []string) {
	venue := b.VenueSequences()
	for i, tick := range b.Ticks() {
		sequence := uint64(0)
		if venue != nil {
			sequence = venue[i]
		}
		records = append(records, renderTick(&tick, sequence))
	}
	for d := range b.Definitions() {
		records = append(records, fmt.Sprintf("definition %+v", d))
	}
	if c, ok := b.Config(); ok {
		records = append(records, fmt.Sprintf("config %d %s %q from %d", c.Generation, c.Name, c.Text, b.First))
	}
	if blob, ok := b.Blob(); ok {
		records = append(records, fmt.Sprintf("blob %s %q", blob.Name, blob.Data))
	}
	for o := range b.Outcomes() {
		records = append(records, renderOutcome(o.Number, o.Body, o.Result))
	}
	return records
}

func renderTick(tick *feed.Tick, venue uint64) string {
	return fmt.Sprintf("tick %v venue %d", *tick, venue)
}

func renderOutcome(number uint64, body []byte, result uint8) string {
	return fmt.Sprintf("outcome %d %x %d", number, body, result)
}

func isPrefix(prefix, whole []string) bool {
	if len(prefix) > len(whole) {
		return false
	}
	for i := range prefix {
		if prefix[i] != whole[i] {
			return false
		}
	}
	return true
}

// detected says that an error is one of those by which a reader reports a journal that is not whole.
func detected(err error) bool {
	var damage *journal.DamageError
	var unsupported *journal.UnsupportedError
	return errors.Is(err, journal.ErrIncompleteTail) || errors.As(err, &damage) || errors.As(err, &unsupported) ||
		errors.Is(err, journal.ErrEmpty)
}

func wantEOF(t testing.TB, err error) {
	t.Helper()
	if err != io.EOF {
		t.Fatalf("the journal ends with %v, not io.EOF", err)
	}
}
