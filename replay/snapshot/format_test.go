package snapshot

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/internal/engine"
)

var update = flag.Bool("update", false, "write the golden file")

// sample is a snapshot with something in every place.
func sample() *Snapshot {
	s := &Snapshot{
		Identity: Identity{Build: "sigengine 1.2.3", Partition: "main"},
		Run:      2, ChainAt: 1030,
		State: engine.State{
			Sequence: 1027, EngineNs: 1_700_000_000_000_000_000, Signals: 12,
			Instruments: []byte("instruments"), Sequencer: []byte("sequencer"), Executor: []byte("executor state"),
			Desk: []byte("desk"), Output: []byte("output"), Counters: nil,
		},
	}
	for i := range 32 {
		s.Chain[i], s.Program[i], s.Config[i] = byte(i), byte(i+32), byte(i+64)
	}
	s.State.Program = s.Program
	return s
}

func encoded(t testing.TB, s *Snapshot) []byte {
	t.Helper()
	b, err := Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGolden: version 1 stays what it is.
func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "version1.sgs")
	b := encoded(t, sample())
	if *update {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Errorf("%s is another:\n%q\n%q", path, b, want)
	}
	s, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Run != 2 || s.State.Sequence != 1027 || s.State.EngineNs != 1_700_000_000_000_000_000 || s.State.Signals != 12 || s.ChainAt != 1030 ||
		s.Identity != sample().Identity || s.Chain != sample().Chain || string(s.State.Executor) != "executor state" || s.Bytes() != int64(len(want)) {
		t.Errorf("%+v", s)
	}
}

// TestEveryByteCounts: no byte can be changed, left out or added unnoticed.
func TestEveryByteCounts(t *testing.T) {
	b := encoded(t, sample())
	for i := range b {
		for _, bit := range []byte{1, 0x80} {
			changed := bytes.Clone(b)
			changed[i] ^= bit
			if _, err := Decode(changed); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
				t.Errorf("byte %d changed: %v", i, err)
			}
		}
		if _, err := Decode(b[:i]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
	if _, err := Decode(append(bytes.Clone(b), 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte more: %v", err)
	}
}

// resealed is the bytes with checksums of header and whole that fit again, as a mistake in writing would leave them.
func resealed(b []byte) []byte {
	head := int(le.Uint32(b[12:]))
	if head >= 4 && head <= len(b)-4 {
		le.PutUint32(b[head-4:], checksum(b[:head-4]))
	}
	le.PutUint32(b[len(b)-4:], checksum(b[:len(b)-4]))
	return b
}

// TestStructureIsChecked: sound checksums do not make a structure sound.
func TestStructureIsChecked(t *testing.T) {
	table := int(le.Uint32(encoded(t, sample())[12:])) - 4 - partCount*entry
	for _, test := range []struct {
		name   string
		change func(b []byte)
		want   error
	}{
		{"version", func(b []byte) { le.PutUint16(b[8:], 2) }, ErrVersion},
		{"flags", func(b []byte) { le.PutUint16(b[10:], 1) }, ErrDamaged},
		{"header bytes", func(b []byte) { le.PutUint32(b[12:], 9) }, ErrDamaged},
		{"partition's length", func(b []byte) { b[fixed] = 255 }, ErrDamaged},
		{"number of parts", func(b []byte) { le.PutUint32(b[table-4:], 7) }, ErrDamaged},
		{"kind", func(b []byte) { le.PutUint32(b[table:], 2) }, ErrDamaged},
		{"part's checksum", func(b []byte) { b[table+4]++ }, ErrDamaged},
		{"part's length", func(b []byte) { le.PutUint64(b[table+8:], 1<<63) }, ErrDamaged},
		{"a part shorter", func(b []byte) { le.PutUint64(b[table+partCount*entry-8-entry:], 1) }, ErrDamaged},
	} {
		b := encoded(t, sample())
		test.change(b)
		if _, err := Decode(resealed(b)); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestRoundTrip: what was encoded is decoded, and encodes to the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Snapshot{Run: rapid.Uint64().Draw(t, "run"), ChainAt: rapid.Uint64().Draw(t, "chain at")}
		s.Build, s.Partition = rapid.StringN(0, 40, 255).Draw(t, "build"), rapid.StringN(0, 40, 255).Draw(t, "partition")
		s.State.Sequence, s.State.EngineNs = rapid.Uint64().Draw(t, "sequence"), rapid.Int64().Draw(t, "time")
		for _, part := range parts(&s.State) {
			*part = rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "part")
		}
		b, err := Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Encode(got)
		if err != nil || !bytes.Equal(b, again) || got.State.EngineNs != s.State.EngineNs || got.Build != s.Build {
			t.Fatalf("%+v, %v", got, err)
		}
	})
}

func TestNamesAreBounded(t *testing.T) {
	s := sample()
	s.Build = string(make([]byte, 256))
	if _, err := Encode(s); err == nil {
		t.Error("a build of 256 bytes")
	}
}

func TestFits(t *testing.T) {
	for name, change := range map[string]func(*Identity){
		"build": func(i *Identity) { i.Build = "x" }, "partition": func(i *Identity) { i.Partition = "x" },
		"program": func(i *Identity) { i.Program[0]++ }, "config": func(i *Identity) { i.Config[0]++ },
	} {
		want := sample().Identity
		if err := sample().Fits(&want); err != nil {
			t.Error(err)
		}
		change(&want)
		if err := sample().Fits(&want); !errors.Is(err, ErrForeign) {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// FuzzDecode: no bytes make the reader panic, and what it takes encodes to those bytes. Checksums are set right, or nothing
// would get past them.
func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, sample()))
	f.Add(encoded(f, &Snapshot{}))
	f.Add(encoded(f, sample())[:200])
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := Decode(b); err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
			t.Fatal(err)
		}
		if len(b) < 20 {
			return
		}
		b = resealed(bytes.Clone(b))
		s, err := Decode(b)
		if err != nil {
			return
		}
		if again := encoded(t, s); !bytes.Equal(b, again) {
			t.Errorf("%q\n%q", b, again)
		}
	})
}
