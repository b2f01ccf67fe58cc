package program

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSameBitsOnEveryProcessor hashes rows and state of long runs over ordinary and awkward values. The golden was
// made on amd64; every other processor must reproduce it.
func TestSameBitsOnEveryProcessor(t *testing.T) {
	hash := sha256.New()
	for _, p := range []*Program{sixSignals(t), validProgram(t), everyWindow(t)} {
		for _, rough := range []bool{false, true} {
			ex, err := NewExecutor(p, 5)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				ex.SetWord(i, 0, 63)
			}
			lane := quotes(p, 4096, 5)
			if rough {
				roughen(lane)
			}
			ex.Run(lane, 0, 4096)
			for _, q := range lane.Out {
				hash.Write(binary.LittleEndian.AppendUint64(nil, q.Value))
			}
			for _, word := range ex.SnapshotState() {
				hash.Write(binary.LittleEndian.AppendUint64(nil, word))
			}
		}
	}
	got := hex.EncodeToString(hash.Sum(nil))
	path := filepath.Join("testdata", "bits.sha256")
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.TrimSpace(string(want)) {
		t.Errorf("rows and state hash to %s, golden %s", got, want)
	}
}

// roughen puts awkward values, gaps and jumps of time into some slots.
func roughen(lane *Lane) {
	r := rand.New(rand.NewPCG(7, 7))
	c := lane.Capacity
	jump := uint64(0)
	for n := range c {
		if r.IntN(20) == 0 {
			bits := math.Float64bits(awkward[r.IntN(len(awkward))])
			if r.IntN(2) == 0 {
				bits = awkwardBits[r.IntN(len(awkwardBits))]
			}
			lane.In[uint64(r.IntN(4))*c+n].Value = bits
		}
		if r.IntN(200) == 0 {
			lane.In[c+n].Aux |= CtlGap
			jump += uint64(r.IntN(1_000_000_000))
		}
		lane.In[4*c+n].Value += jump
	}
}
