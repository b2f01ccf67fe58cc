package simulate

import (
	"math/bits"
	"math/rand/v2"
)

// The streams of chance. What one fault draws does not shift what another draws, so that a simulation without one of
// them is otherwise the same.
const (
	streamPlan = 1 + iota
	streamTime
	streamBus
	streamSource
	streamProcess
	streamConn
	streamStore
	streamMarket // and the numbers after it
)

// chance draws from PCG, whose output is fixed. The methods are integers only, so every processor draws the same.
type chance struct{ pcg *rand.PCG }

func newChance(seed, stream uint64) chance { return chance{rand.NewPCG(seed, stream)} }

// below returns a number from 0 to n-1.
func (c chance) below(n int) int {
	high, _ := bits.Mul64(c.pcg.Uint64(), uint64(n))
	return int(high)
}

// between returns a number from low to high.
func (c chance) between(low, high int) int { return low + c.below(high-low+1) }

// hits is true in perMillion of a million cases.
func (c chance) hits(perMillion int) bool { return c.below(1_000_000) < perMillion }

// coin is true in half of all cases.
func (c chance) coin() bool { return c.pcg.Uint64()>>63 != 0 }

// pick returns one of the values.
func pick[T any](c chance, values ...T) T { return values[c.below(len(values))] }
