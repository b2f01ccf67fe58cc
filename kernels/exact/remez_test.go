package exact

import (
	"math/big"
	"testing"
)

// remez finds the polynomial p of n coefficients that makes the largest |weight (f - p)| on the grid least, by exchanging
// reference points until the errors at them are equal and none is larger. It returns the coefficients and that error.
func remez(t *testing.T, f, weight func(x *big.Float) *big.Float, grid []*big.Float, n int) ([]*big.Float, *big.Float) {
	t.Helper()
	values, weights := make([]*big.Float, len(grid)), make([]*big.Float, len(grid))
	for i, x := range grid {
		values[i], weights[i] = f(x), weight(x)
	}
	points := make([]int, n+1)
	for i := range points {
		points[i] = i * (len(grid) - 1) / n
	}
	for range 60 {
		c, level := equalize(grid, values, weights, points, n)
		errors := make([]*big.Float, len(grid))
		for i, x := range grid {
			errors[i] = times(weights[i], minus(values[i], horner(c, x)))
		}
		next := extremes(errors)
		if len(next) < len(points) {
			t.Fatalf("%d alternations, want %d", len(next), len(points))
		}
		for len(next) > len(points) { // drop the smaller end
			if fresh().Abs(errors[next[0]]).Cmp(fresh().Abs(errors[next[len(next)-1]])) < 0 {
				next = next[1:]
			} else {
				next = next[:len(next)-1]
			}
		}
		largest := number(0)
		for _, i := range next {
			if e := fresh().Abs(errors[i]); e.Cmp(largest) > 0 {
				largest = e
			}
		}
		if quo(largest, fresh().Abs(level)).Cmp(number(1.0001)) < 0 {
			return c, largest
		}
		points = next
	}
	t.Fatal("no convergence")
	return nil, nil
}

// extremes returns, for each run of errors of one sign, where the largest is.
func extremes(errors []*big.Float) []int {
	var at []int
	sign := 0
	for i, e := range errors {
		switch {
		case e.Sign() == 0:
		case e.Sign() != sign:
			sign = e.Sign()
			at = append(at, i)
		case fresh().Abs(e).Cmp(fresh().Abs(errors[at[len(at)-1]])) > 0:
			at[len(at)-1] = i
		}
	}
	return at
}

// equalize solves for coefficients c and level e with weight (f - p) = ±e, signs alternating, at the given points.
func equalize(grid, values, weights []*big.Float, points []int, n int) (c []*big.Float, level *big.Float) {
	rows := make([][]*big.Float, n+1)
	sign := number(1)
	for i, at := range points {
		row := make([]*big.Float, 0, n+2)
		power := weights[at]
		for range n {
			row = append(row, power)
			power = times(power, grid[at])
		}
		rows[i] = append(row, sign, times(weights[at], values[at]))
		sign = negate(sign)
	}
	c = solve(rows)
	return c[:n], c[n]
}

// solve does Gaussian elimination with pivoting; each row ends with its right side.
func solve(rows [][]*big.Float) []*big.Float {
	n := len(rows)
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if fresh().Abs(rows[i][k]).Cmp(fresh().Abs(rows[pivot][k])) > 0 {
				pivot = i
			}
		}
		rows[k], rows[pivot] = rows[pivot], rows[k]
		for i := k + 1; i < n; i++ {
			ratio := quo(rows[i][k], rows[k][k])
			for j := k; j <= n; j++ {
				rows[i][j] = minus(rows[i][j], times(ratio, rows[k][j]))
			}
		}
	}
	x := make([]*big.Float, n)
	for k := n - 1; k >= 0; k-- {
		right := rows[k][n]
		for j := k + 1; j < n; j++ {
			right = minus(right, times(rows[k][j], x[j]))
		}
		x[k] = quo(right, rows[k][k])
	}
	return x
}

func horner(c []*big.Float, x *big.Float) *big.Float {
	y := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		y = plus(times(y, x), c[i])
	}
	return y
}

// chebyshevGrid returns count points of [lo, hi], denser at the ends, and without them.
func chebyshevGrid(lo, hi *big.Float, count int) []*big.Float {
	// Points (1 - cos θ)/2 by the rotation (c, s) -> (c cos h - s sin h, ...), h = π/count, from tan(h/2) roughly h/2:
	// any angle near it serves, so it is taken as a rational number.
	half := quo(refPi(), number(float64(2*count)))
	square := times(half, half)
	below := plus(number(1), square)
	cosStep, sinStep := quo(minus(number(1), square), below), quo(times(number(2), half), below)
	cos, sin := cosStep, sinStep
	var grid []*big.Float
	for range count - 1 {
		at := quo(minus(number(1), cos), number(2))
		grid = append(grid, plus(lo, times(at, minus(hi, lo))))
		cos, sin = minus(times(cos, cosStep), times(sin, sinStep)), plus(times(sin, cosStep), times(cos, sinStep))
	}
	return grid
}
