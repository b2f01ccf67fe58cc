package sim

import (
	"math/bits"
	"math/rand/v2"
)

// random draws from PCG. Everything below is exact integer work or single rounded float64 steps, so
// that every processor draws the same.
type random struct{ pcg rand.PCG }

func (r *random) seed(seed, stream uint64) { r.pcg.Seed(seed, stream) }

// bits64 returns 64 random bits.
func (r *random) bits64() uint64 { return r.pcg.Uint64() }

// below returns an integer from 0 to n-1; n is small, so the bias of at most n/2^64 does not matter.
func (r *random) below(n uint64) uint64 {
	high, _ := bits.Mul64(r.pcg.Uint64(), n)
	return high
}

// uniform returns a float64 in [0, 1).
func (r *random) uniform() float64 { return unit(r.pcg.Uint64()) }

func unit(word uint64) float64 { return float64(float64(word>>11) * (1.0 / (1 << 53))) }

// normal returns roughly a standard normal: four 16-bit uniforms added, so never beyond 3.47.
func (r *random) normal() float64 {
	word := r.pcg.Uint64()
	sum := int64(word&0xffff) + int64(word>>16&0xffff) + int64(word>>32&0xffff) + int64(word>>48)
	return float64(sum-2*0xffff) * (1.0 / 37837.2)
}

// exponential returns roughly an exponential of mean 1, at most about 45.
func (r *random) exponential() float64 { return negativeLog(r.pcg.Uint64()) }

// negativeLog returns about -ln(word/2^64): the leading zeros are the whole part of the base-2
// logarithm, a quadratic the rest (off by at most 0.009).
func negativeLog(word uint64) float64 {
	word |= 1
	zeros := bits.LeadingZeros64(word)
	fraction := unit(word << zeros << 1)
	curve := float64(0.3431 * float64(fraction*(1-fraction)))
	return float64(float64(zeros+1)-(fraction+curve)) * 0.6931471805599453
}

// exp2 returns about 2^x for x within -30 to 30 (off by at most 0.4 percent), clamped beyond.
func exp2(x float64) float64 {
	x = min(max(x, -30), 30)
	whole := int64(x + 64) // positive, so truncation is floor
	fraction := x + 64 - float64(whole)
	curve := 1 + float64(fraction*(0.6564+float64(0.3436*fraction)))
	whole -= 64
	if whole < 0 {
		return curve / float64(uint64(1)<<uint(-whole))
	}
	return curve * float64(uint64(1)<<uint(whole))
}

// chooser draws an index with probability proportional to its weight in constant time (Walker's alias).
type chooser struct {
	keep  []uint32 // keep the drawn column if the coin is below this, of 2^32
	alias []uint32
}

func newChooser(weights []float64) *chooser {
	n := len(weights)
	c := &chooser{keep: make([]uint32, n), alias: make([]uint32, n)}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	scaled := make([]float64, n)
	small, large := make([]int, 0, n), make([]int, 0, n)
	for i, w := range weights {
		scaled[i] = float64(w*float64(n)) / total
		c.keep[i], c.alias[i] = ^uint32(0), uint32(i)
		if scaled[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		c.keep[s] = uint32(scaled[s] * (1 << 32))
		c.alias[s] = uint32(l)
		scaled[l] -= 1 - scaled[s]
		if scaled[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return c
}

func (c *chooser) choose(word uint64) int {
	column := int((word >> 32) * uint64(len(c.keep)) >> 32)
	if uint32(word) <= c.keep[column] {
		return column
	}
	return int(c.alias[column])
}
