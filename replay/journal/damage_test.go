package journal_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

// damaged is a small journal of three segments, one byte string each, and what it says.
func damageSubject(t *testing.T) (segments [][]byte, whole []string) {
	t.Helper()
	store := goldenStore(t)
	w := open(t, store, inlineOptions())
	appendTicks(w, 2)
	w.Ticks().Flush()
	w.Outcomes().Append([]byte("body"), 3)
	w.Outcomes().Flush()
	appendTicks(w, 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for index := uint64(1); index <= 3; index++ {
		segments = append(segments, store.Bytes(journal.SegmentName(index)))
	}
	whole, err := readAll(store)
	wantEOF(t, err)
	return segments, whole
}

func storeOf(segments [][]byte) *memstore.Store {
	store := new(memstore.Store)
	for i, contents := range segments {
		if contents != nil {
			store.Set(journal.SegmentName(uint64(i+1)), contents)
		}
	}
	return store
}

// with returns the segments with one of them replaced.
func with(segments [][]byte, index int, contents []byte) [][]byte {
	changed := slices.Clone(segments)
	changed[index] = contents
	return changed
}

// reopenIsPrefix opens a damaged journal for writing. Refusing is right; if it opens, what is left must be a true prefix
// that ends cleanly, and the new run must be readable after it.
func reopenIsPrefix(t *testing.T, segments [][]byte, whole []string, what string, at int) {
	t.Helper()
	store := storeOf(segments)
	w, err := journal.OpenWriter(store, inlineOptions())
	if err != nil {
		if !detected(err) {
			t.Fatalf("%s at %d: opening gives %v", what, at, err)
		}
		return
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := readFirstRuns(store, w.Resumed().Run)
	if err != io.EOF || !isPrefix(got, whole) {
		t.Fatalf("%s at %d: after opening for writing, reading gives %v and\n%q", what, at, err, got)
	}
}

// readFirstRuns reads everything that was written before a run.
func readFirstRuns(store journal.Store, before uint64) (records []string, err error) {
	r, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		block, err := r.Next()
		if err != nil {
			return records, err
		}
		if block.Run < before {
			records = append(records, render(block)...)
		}
	}
}

func TestEveryFlippedByteIsDetected(t *testing.T) {
	segments, whole := damageSubject(t)
	tails := 0
	for index, contents := range segments {
		for at := range contents {
			for _, mask := range []byte{0x01, 0x80, 0xff} {
				flipped := slices.Clone(contents)
				flipped[at] ^= mask
				changed := with(segments, index, flipped)
				got, err := readAll(storeOf(changed))
				if !detected(err) {
					t.Fatalf("segment %d, byte %d ^ %#x: %v", index+1, at, mask, err)
				}
				if !isPrefix(got, whole) || len(got) == len(whole) {
					t.Fatalf("segment %d, byte %d ^ %#x: read %q", index+1, at, mask, got)
				}
				if errors.Is(err, journal.ErrIncompleteTail) {
					tails++
				}
				if mask == 0xff {
					reopenIsPrefix(t, changed, whole, "flip", index*10_000+at)
				}
			}
		}
	}
	if tails > 0 { // with all sectors in use, none of these looks like what a power loss leaves
		t.Errorf("%d flips pass for an incomplete tail", tails)
	}
}

func TestEveryTruncationIsDetected(t *testing.T) {
	segments, whole := damageSubject(t)
	last := len(segments) - 1
	for index, contents := range segments {
		for at := range contents {
			changed := with(segments, index, contents[:at:at])
			got, err := readAll(storeOf(changed))
			var damage *journal.DamageError
			switch {
			case index < last && !errors.As(err, &damage):
				t.Fatalf("segment %d cut at %d, not the last: %v", index+1, at, err)
			case index == last && err != io.EOF && !errors.Is(err, journal.ErrIncompleteTail):
				t.Fatalf("last segment cut at %d: %v", at, err)
			case !isPrefix(got, whole):
				t.Fatalf("segment %d cut at %d: read %q", index+1, at, got)
			}
			reopenIsPrefix(t, changed, whole, "cut", index*10_000+at)
		}
	}
}

// blocksOf returns where the blocks of a segment begin, and its end.
func blocksOf(t *testing.T, segments [][]byte, segment uint64) (offsets []int64) {
	t.Helper()
	r, err := journal.OpenReader(storeOf(segments[:segment]), journal.ReaderOptions{FromSegment: segment})
	if err != nil {
		t.Fatal(err)
	}
	for {
		block, err := r.Next()
		if err != nil {
			wantEOF(t, err)
			return append(offsets, int64(len(segments[segment-1])))
		}
		offsets = append(offsets, block.Offset)
	}
}

func TestMovedBlocksAndSegmentsAreDetected(t *testing.T) {
	segments, whole := damageSubject(t)
	type change struct {
		name     string
		segments [][]byte
	}
	changes := []change{
		{"segments swapped", [][]byte{segments[1], segments[0], segments[2]}},
		{"middle segment missing", [][]byte{segments[0], nil, segments[2]}},
		{"segment twice", [][]byte{segments[0], segments[1], segments[1], segments[2]}},
		{"last segment again", append(slices.Clone(segments), segments[2])},
		{"segment empty", [][]byte{segments[0], {}, segments[2]}},
	}
	for segment := uint64(1); segment <= 3; segment++ {
		contents := segments[segment-1]
		at := blocksOf(t, segments, segment)
		for i := range len(at) - 2 { // all but the last, for its absence is a clean end
			removed := slices.Concat(contents[:at[i]], contents[at[i+1]:])
			swapped := slices.Concat(contents[:at[i]], contents[at[i+1]:at[i+2]], contents[at[i]:at[i+1]], contents[at[i+2]:])
			doubled := slices.Concat(contents[:at[i+1]], contents[at[i]:])
			changes = append(
				changes,
				change{"block removed", with(segments, int(segment-1), removed)},
				change{"blocks swapped", with(segments, int(segment-1), swapped)},
				change{"block doubled", with(segments, int(segment-1), doubled)},
			)
		}
	}
	for _, c := range changes {
		got, err := readAll(storeOf(c.segments))
		var damage *journal.DamageError
		if !errors.As(err, &damage) || !isPrefix(got, whole) {
			t.Errorf("%s: %v after %q", c.name, err, got)
		}
		if w, err := journal.OpenWriter(storeOf(c.segments), inlineOptions()); !errors.As(err, &damage) {
			t.Errorf("%s: opened for writing: %v, %v", c.name, w, err)
		}
	}
}

// TestBlocksOfAnotherJournal: sound blocks with the right numbers and sequences, that were written elsewhere.
func TestBlocksOfAnotherJournal(t *testing.T) {
	write := func(price float64) (contents []byte, at []int64) {
		store := new(memstore.Store)
		w := open(t, store, inlineOptions())
		for range 4 {
			tick := testTick(w.Ticks().NextSeq())
			tick.F[0] = price
			w.Ticks().Append(&tick, 0)
			w.Ticks().Flush()
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		contents = store.Bytes(journal.SegmentName(1))
		return contents, blocksOf(t, [][]byte{contents}, 1)
	}
	ours, at := write(100)
	theirs, _ := write(101)
	for i := range len(at) - 1 {
		mixed := slices.Clone(ours)
		copy(mixed[at[i]:at[i+1]], theirs[at[i]:at[i+1]])
		got, err := readAll(storeOf([][]byte{mixed}))
		var damage *journal.DamageError
		// The first of the other journal follows the same header and so is its first: the one after it breaks.
		first := max(i, 1)
		if !errors.As(err, &damage) || damage.Offset != at[first] || len(got) != first {
			t.Errorf("block %d: %d records, then %v", i+1, len(got), err)
		}
	}
}

// TestZerosOfPowerLoss: file systems may show zeros where unsynced data should be.
func TestZerosOfPowerLoss(t *testing.T) {
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	appendTicks(w, 40)
	w.Ticks().Flush()
	appendTicks(w, 40)
	w.Ticks().Flush()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	contents := store.Bytes(journal.SegmentName(1))
	at := blocksOf(t, [][]byte{contents}, 1)
	zeroed := func(from, to int64) [][]byte {
		changed := slices.Clone(contents)
		clear(changed[from:to])
		return [][]byte{changed}
	}
	const sector = 512
	end := at[2]
	tests := []struct {
		name     string
		segments [][]byte
		tail     bool
	}{
		{"all of the last block", zeroed(at[1], end), true},
		{"a sector within the last block", zeroed((at[1]/sector+2)*sector, (at[1]/sector+3)*sector), true},
		{"the sectors that the last block ends in", zeroed((end/sector-1)*sector, end), true},
		{"zeros after the last block", [][]byte{append(slices.Clone(contents), make([]byte, 4096)...)}, true},
		{"a sector of the first block, while another follows", zeroed(2*sector, 3*sector), false},
		{"a header's worth within a sector", zeroed(at[1]+100, at[1]+172), false},
	}
	for _, test := range tests {
		_, err := readAll(storeOf(test.segments))
		var damage *journal.DamageError
		if test.tail && !errors.Is(err, journal.ErrIncompleteTail) || !test.tail && !errors.As(err, &damage) {
			t.Errorf("%s: %v", test.name, err)
		}
		w, err := journal.OpenWriter(storeOf(test.segments), inlineOptions())
		if test.tail && (err != nil || w.Resumed().CutBytes == 0) || !test.tail && !errors.As(err, &damage) {
			t.Errorf("%s: opening for writing: %v", test.name, err)
		}
	}
}

// TestCutDamage cuts the last segment where its damage begins, but no other and not its header.
func TestCutDamage(t *testing.T) {
	segments, whole := damageSubject(t)
	options := inlineOptions()
	options.CutDamage = true
	for index, contents := range segments {
		for at := 0; at < len(contents); at += 7 {
			flipped := slices.Clone(contents)
			flipped[at] ^= 0x10
			store := storeOf(with(segments, index, flipped))
			w, err := journal.OpenWriter(store, options)
			if index < len(segments)-1 || at < journal.SegmentHeaderBytes {
				var damage *journal.DamageError
				if !errors.As(err, &damage) {
					t.Fatalf("segment %d, byte %d: %v", index+1, at, err)
				}
				continue
			}
			if err != nil || w.Resumed().CutBytes < int64(len(contents)-at) {
				t.Fatalf("byte %d of the last segment: %v", at, err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := readFirstRuns(store, w.Resumed().Run)
			if err != io.EOF || !isPrefix(got, whole) || len(got) == len(whole) {
				t.Fatalf("byte %d of the last segment: then %v after %q", at, err, got)
			}
		}
	}
}
