package exact

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// TestGoldenBits hashes what every function gives for fixed arguments. The hashes are the same on every processor; a
// difference means that results already recorded would not be found again.
func TestGoldenBits(t *testing.T) {
	var w bytes.Buffer
	for _, s := range subjects() {
		h := sha256.New()
		write := func(a [2]float64) {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(s.call(a))))
		}
		for _, x := range awkward() {
			for _, y := range awkward() {
				write([2]float64{x, y})
			}
		}
		r := rand.New(rand.NewPCG(11, 12))
		for i := range 20000 {
			write(s.draw[i%len(s.draw)](r))
		}
		fmt.Fprintf(&w, "%s %x\n", s.name, h.Sum(nil))
	}
	const file = "testdata/bits.txt"
	if *update {
		if err := os.WriteFile(file, w.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, w.Bytes()) {
		t.Errorf("bits have changed: want\n%s\ngot\n%s", want, w.Bytes())
	}
}
