package journal_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

// sealed is a block that a test makes up, with right checksums and chain.
type sealed struct {
	typ     journal.Type
	version uint8
	flags   uint16
	count   uint32
	first   uint64
	payload []byte
}

// readSealed appends the block to a journal of five ticks and reads it; it returns the error at the block.
func readSealed(t testing.TB, b sealed) error {
	t.Helper()
	return readSealedSkipping(t, b, 0, 0)
}

// readSealedSkipping is readSealed with a block number that skips some, and some of the payload as padding.
func readSealedSkipping(t testing.TB, b sealed, skip uint64, unsaid int) error {
	t.Helper()
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	appendTicks(w, 5)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := journal.SegmentName(1)
	r, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readOn(r); err != io.EOF {
		t.Fatal(err)
	}
	block := journal.SealBlock(r.Chain(), r.NextBlock()+skip, b.typ, b.version, b.flags, b.count, b.first, b.payload, unsaid)
	store.Set(name, append(store.Bytes(name), block...))
	got, err := readOn(r)
	if err != io.EOF && len(got) > 0 {
		t.Fatalf("%+v: %q and %v", b, got, err)
	}
	return err
}

func definitionPayload(at uint64, class uint8) []byte {
	p := make([]byte, 20)
	p[0], p[14], p[15], p[16] = uint8(at), class, 1, 1
	return p
}

func TestUnknownRefuses(t *testing.T) {
	tests := map[string]sealed{
		"block type 9":        {9, 1, 0, 1, 6, []byte("x")},
		"block type 0":        {0, 1, 0, 1, 6, []byte("x")},
		"version 2 of ticks":  {journal.TypeTicks, 2, 0, 1, 6, make([]byte, 64)},
		"block flags 0x100":   {journal.TypeTicks, 1, 0x100, 1, 6, make([]byte, 64)},
		"definition class 77": {journal.TypeDefinition, 1, 0, 1, 6, definitionPayload(6, 77)},
	}
	for what, block := range tests {
		err := readSealed(t, block)
		var unsupported *journal.UnsupportedError
		if !errors.As(err, &unsupported) || !strings.HasPrefix(unsupported.What, what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestWrongStructureIsDamage(t *testing.T) {
	tick := func(seq uint64) []byte {
		p := make([]byte, feed.TickSize)
		value := testTick(seq)
		journal.PutTick(p, &value)
		return p
	}
	tests := map[string]sealed{
		"no record":                   {journal.TypeTicks, 1, 0, 0, 6, nil},
		"ticks do not fill":           {journal.TypeTicks, 1, 0, 2, 6, tick(6)},
		"no room for venue":           {journal.TypeTicks, 1, 2, 1, 6, tick(6)},
		"sequence skips":              {journal.TypeTicks, 1, 0, 1, 7, tick(7)},
		"sequence repeats":            {journal.TypeTicks, 1, 0, 1, 5, tick(5)},
		"sequence skips within":       {journal.TypeTicks, 1, 0, 2, 6, append(tick(6), tick(8)...)},
		"header names another tick":   {journal.TypeTicks, 1, 0, 1, 5, tick(6)},
		"ticks repeated":              {journal.TypeTicks, 1, 1, 1, 6, tick(6)},
		"outcomes with venue":         {journal.TypeOutcome, 1, 2, 1, 1, make([]byte, 8)},
		"outcome number":              {journal.TypeOutcome, 1, 0, 1, 2, make([]byte, 8)},
		"outcome count":               {journal.TypeOutcome, 1, 0, 2, 1, make([]byte, 8)},
		"outcome body too long":       {journal.TypeOutcome, 1, 0, 1, 1, []byte{9, 0, 0, 0, 0, 0, 0, 0}},
		"outcome cut":                 {journal.TypeOutcome, 1, 0, 1, 1, []byte{0, 0, 0}},
		"definition cut":              {journal.TypeDefinition, 1, 0, 1, 6, definitionPayload(6, 1)[:19]},
		"definition too late":         {journal.TypeDefinition, 1, 0, 1, 5, definitionPayload(5, 1)},
		"definition not as in header": {journal.TypeDefinition, 1, 0, 1, 6, definitionPayload(7, 1)},
		"definitions fall":            {journal.TypeDefinition, 1, 0, 2, 9, append(definitionPayload(9, 1), definitionPayload(8, 1)...)},
		"definition count":            {journal.TypeDefinition, 1, 0, 3, 6, definitionPayload(6, 1)},
		"config cut":                  {journal.TypeConfig, 1, 0, 1, 6, make([]byte, 47)},
		"config of another digest":    {journal.TypeConfig, 1, 0, 1, 6, make([]byte, 48)},
		"blob sizes":                  {journal.TypeBlob, 1, 0, 1, 6, make([]byte, 9)},
		"blob twice":                  {journal.TypeBlob, 1, 0, 2, 6, make([]byte, 8)},
		"blob of another sequence":    {journal.TypeBlob, 1, 0, 1, 5, make([]byte, 8)},
	}
	for name, block := range tests {
		err := readSealed(t, block)
		var damage *journal.DamageError
		if !errors.As(err, &damage) || damage.LastSeq != 5 {
			t.Errorf("%s: %v", name, err)
		}
	}
	right := sealed{journal.TypeTicks, 1, 0, 1, 6, tick(6)}
	if err := readSealed(t, right); err != io.EOF {
		t.Errorf("a right block: %v", err)
	}
	var damage *journal.DamageError
	if err := readSealedSkipping(t, right, 1, 0); !errors.As(err, &damage) {
		t.Errorf("a block number that skips one: %v", err)
	}
	blob := sealed{journal.TypeBlob, 1, 0, 1, 6, []byte{1, 0, 0, 0, 0, 0, 0, 0, 'n', 1}}
	if err := readSealedSkipping(t, blob, 0, 1); !errors.As(err, &damage) || damage.Expected != "zeros as padding" {
		t.Errorf("padding that is not zero: %v", err)
	}
}

// TestSegmentHeaders changes fields of headers and gives them a right checksum.
func TestSegmentHeaders(t *testing.T) {
	segments, whole := damageSubject(t)
	tests := []struct {
		name        string
		at          int
		unsupported bool
	}{
		{"version", 8, true},
		{"header bytes", 10, true},
		{"flags", 13, true},
		{"sparse", 12, false},
		{"index", 16, false},
		{"run", 24, false},
		{"first block", 40, false},
		{"first sequence", 48, false},
		{"first outcome", 56, false},
		{"chain", 64, false},
		{"partition size", 96, false},
		{"partition", 98, false},
	}
	for _, test := range tests {
		changed := slices.Clone(segments[1])
		changed[test.at] ^= 0x01
		journal.ResealSegmentHeader(changed)
		got, err := readAll(storeOf(with(segments, 1, changed)))
		var damage *journal.DamageError
		var unsupported *journal.UnsupportedError
		if test.unsupported != errors.As(err, &unsupported) || test.unsupported == errors.As(err, &damage) {
			t.Errorf("%s: %v", test.name, err)
		}
		if damage != nil && (damage.Segment != 2 || damage.Offset != 0) {
			t.Errorf("%s: found only later: %v", test.name, err)
		}
		if !isPrefix(got, whole) {
			t.Errorf("%s: read %q", test.name, got)
		}
	}
}

// FuzzSealed reads blocks of any content whose checksums are right.
func FuzzSealed(f *testing.F) {
	f.Add(uint8(1), uint8(1), uint16(0), uint32(1), uint64(6), make([]byte, 64))
	f.Add(uint8(2), uint8(1), uint16(0), uint32(1), uint64(6), definitionPayload(6, 1))
	f.Add(uint8(3), uint8(1), uint16(0), uint32(1), uint64(6), make([]byte, 48))
	f.Add(uint8(4), uint8(1), uint16(1), uint32(1), uint64(6), make([]byte, 8))
	f.Add(uint8(5), uint8(1), uint16(0), uint32(2), uint64(1), make([]byte, 24))
	f.Fuzz(func(t *testing.T, typ, version uint8, flags uint16, count uint32, first uint64, payload []byte) {
		err := readSealed(t, sealed{journal.Type(typ), version, flags, count, first, payload})
		if err != io.EOF && !detected(err) {
			t.Fatal(err)
		}
	})
}

// FuzzReader reads any bytes as the second segment of a journal: what comes out is a true prefix, or the whole.
func FuzzReader(f *testing.F) {
	store := goldenStore(f)
	first, second := store.Bytes(journal.SegmentName(1)), store.Bytes(journal.SegmentName(2))
	whole, err := readAll(store)
	wantEOF(f, err)
	f.Add(second)
	f.Add(second[:300])
	f.Add([]byte{})
	f.Add(make([]byte, 512))
	f.Add(append(slices.Clone(second), second[192:]...))
	f.Fuzz(func(t *testing.T, contents []byte) {
		got, err := readAll(storeOf([][]byte{first, contents}))
		if err != io.EOF && !detected(err) || !isPrefix(got, whole) {
			t.Fatalf("%v after %q", err, got)
		}
		if w, err := journal.OpenWriter(storeOf([][]byte{first, contents}), inlineOptions()); err != nil && !detected(err) {
			t.Fatalf("open: %v", err)
		} else if err == nil && w.Close() != nil {
			t.Fatal(w.Err())
		}
	})
}
