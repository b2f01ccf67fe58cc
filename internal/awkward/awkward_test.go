package awkward

import (
	"math/rand/v2"
	"testing"
)

// TestOperators: nearly every operator has an expression, so that nothing slips through the proofs.
func TestOperators(t *testing.T) {
	operators, without := Operators()
	if len(operators) < 70 || len(without) > 0 {
		t.Errorf("%d operators; none for %v", len(operators), without)
	}
}

// TestProgram: programs are functions of their seed, and differ.
func TestProgram(t *testing.T) {
	texts := map[string]bool{}
	for seed := range uint64(100) {
		a, b := Program(rand.New(rand.NewPCG(seed, 0))), Program(rand.New(rand.NewPCG(seed, 0)))
		if a.String() != b.String() {
			t.Fatalf("seed %d gives two programs", seed)
		}
		texts[a.String()] = true
	}
	if len(texts) < 100 {
		t.Errorf("only %d programs of 100 seeds", len(texts))
	}
}
