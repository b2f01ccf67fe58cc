package journal_test

import (
	"errors"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
)

// TestErrorTexts: an operator reads these; each says where, and what to do.
func TestErrorTexts(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{
			&journal.IncompleteTailError{Segment: 3, Offset: 4096, Bytes: 17, LastSeq: 99},
			"journal: segment 0000000003.sgj ends in an incomplete block at byte 4096 (17 bytes of it); sound up to tick 99",
		},
		{
			&journal.DamageError{Segment: 12, Offset: 192, Expected: "a sound payload CRC", LastSeq: 7},
			"journal: segment 0000000012.sgj is damaged at byte 192: expected a sound payload CRC; sound up to tick 7; " +
				"restore the segment from a copy, or move the directory aside and begin a new journal; " +
				"after a power loss, the last segment may also be cut there (CutDamage)",
		},
		{
			&journal.UnsupportedError{Segment: 1, Offset: 0, What: "block type 9"},
			"journal: segment 0000000001.sgj has block type 9 at byte 0, which this build does not know; use a newer build",
		},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%q\nnot %q", got, test.want)
		}
	}
	if !errors.Is(tests[0].err, journal.ErrIncompleteTail) || errors.Is(tests[1].err, journal.ErrIncompleteTail) {
		t.Error("only an incomplete tail is ErrIncompleteTail")
	}
}

func TestTypeNames(t *testing.T) {
	want := []string{"unknown", "ticks", "definition", "config", "blob", "outcome", "unknown"}
	for i, name := range want {
		if got := journal.Type(i).String(); got != name {
			t.Errorf("type %d is %q, not %q", i, got, name)
		}
	}
}
