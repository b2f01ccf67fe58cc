package kernels

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestOperatorBits fixes every bit that every operator gives on a fixed market with gaps: the same on every processor
// and in every build. A line that changes means that signals change: say why where it does.
func TestOperatorBits(t *testing.T) {
	slots := goodTicks(rand.New(rand.NewPCG(3, 4)), 3000, 0)
	for i := range slots {
		switch {
		case i%701 == 700:
			slots[i] = slots[i].gap()
		case i%1009 == 1008:
			slots[i] = slots[i].session()
		case i%97 == 96:
			slots[i].f[0] = math.NaN()
		}
	}
	var b strings.Builder
	c := NewCatalogue()
	for i := range c.Operators {
		call := exampleCall(&c.Operators[i])
		hash := sha256.New()
		for _, v := range runValue(t, watch(call), slots, 64) {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
			hash.Write(word[:])
		}
		fmt.Fprintf(&b, "%.8x %s\n", hash.Sum(nil), call)
	}
	golden(t, "testdata/operators.bits", b.String())
}
