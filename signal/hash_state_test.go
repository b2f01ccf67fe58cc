package signal

import "testing"

// TestOutputHashGoesOn: a hash that was saved and loaded anywhere goes on as if it had not been.
func TestOutputHashGoesOn(t *testing.T) {
	bodies := make([]Body, 7)
	for i := range bodies {
		bodies[i] = Body{Version: Version, Partition: "p", Signal: "s", Venue: "v", Symbol: "x", Action: ActionEnter, Sequence: uint64(i)}
	}
	whole := NewOutputHash()
	for i := range bodies {
		whole.Add(&bodies[i])
	}
	for cut := range len(bodies) + 1 {
		h := NewOutputHash()
		for i := range bodies {
			if i == cut {
				h = resumed(t, h)
			}
			h.Add(&bodies[i])
		}
		if h = resumed(t, h); h.Sum() != whole.Sum() || h.Count() != whole.Count() {
			t.Errorf("cut at %d: %s of %d, want %s of %d", cut, h.Sum(), h.Count(), whole.Sum(), whole.Count())
		}
	}
}

func resumed(t *testing.T, h *OutputHash) *OutputHash {
	t.Helper()
	state, err := h.AppendState([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	out := NewOutputHash()
	if err := out.LoadState(state[len("before"):]); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOutputHashRefusesStates(t *testing.T) {
	state, err := NewOutputHash().AppendState(nil)
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte(nil), state...)
	other[9] ^= 1 // of the name that crypto/sha256 begins with
	for _, b := range [][]byte{nil, state[1:], append(append([]byte(nil), state...), 0), other} {
		if err := NewOutputHash().LoadState(b); err == nil {
			t.Errorf("%q was taken", b)
		}
	}
}
