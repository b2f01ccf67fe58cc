package replay

import (
	"testing"

	"github.com/sigengine/sigengine/signal"
)

// What a run said of its output when it ended must be so.
func TestVerifyEnd(t *testing.T) {
	for _, test := range []struct {
		said, recomputed string
		differs          bool
	}{{"aa", "aa", false}, {"aa", "ab", true}, {"", "ab", true}} {
		v := &verifier{begun: true, end: &End{OutputHash: test.said}, hash: test.recomputed}
		v.settle()
		if differs := v.out.EndDiffers != ""; differs != test.differs || v.out.Unended {
			t.Errorf("said %q, recomputed %q: %+v", test.said, test.recomputed, v.out)
		}
	}
}

// A run that did not end in good order may lack its last outcomes, or signals of ticks that were not written; not more.
func TestVerifyUnended(t *testing.T) {
	body := func(sequence uint64) []byte {
		return signal.AppendBinary(nil, &signal.Body{
			Version: signal.Version, Partition: "p", Sequence: sequence, OutputSequence: sequence, Action: signal.ActionEnter, Signal: "s", Venue: "v", Symbol: "x",
		})
	}
	for _, test := range []struct {
		name          string
		recorded, now []uint64
		lastSeq       uint64
		differs       bool
	}{
		{"nothing left", nil, nil, 10, false},
		{"decided, and its tick lost", []uint64{11}, nil, 10, false},
		{"recomputed, and its outcome lost", nil, []uint64{10}, 10, false},
		{"recorded of a tick that is there, and not recomputed", []uint64{10, 11}, nil, 10, true},
	} {
		v := &verifier{begun: true, lastSeq: test.lastSeq}
		for _, sequence := range test.recorded {
			v.recorded.push(body(sequence))
		}
		for _, sequence := range test.now {
			v.now.push(body(sequence))
		}
		v.settle()
		if differs := v.out.Difference != nil; differs != test.differs || !v.out.Unended {
			t.Errorf("%s: %+v", test.name, v.out)
		}
	}
}
