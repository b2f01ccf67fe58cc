package program

import "math"

// The pairs of fuse.go.

func stepAddCanon(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	for i := range d {
		d[i] = Canonical(a[i] + b[i])
	}
}

func stepSubCanon(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	for i := range d {
		d[i] = Canonical(a[i] - b[i])
	}
}

func stepMulCanon(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	for i := range d {
		d[i] = Canonical(float64(a[i] * b[i]))
	}
}

func stepDivCanon(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	for i := range d {
		d[i] = Canonical(a[i] / b[i])
	}
}

func stepSqrtCanon(_ *Executor, s *step, lo, hi int) {
	d, a := s.unary(lo, hi)
	for i := range d {
		d[i] = Canonical(math.Sqrt(f64(a[i])))
	}
}

func stepFltAnd(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	c := s.c[lo:hi][:len(d)]
	for i := range d {
		d[i] = maskOf(a[i] < b[i]) & c[i]
	}
}

func stepFleAnd(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	c := s.c[lo:hi][:len(d)]
	for i := range d {
		d[i] = maskOf(a[i] <= b[i]) & c[i]
	}
}

func stepFeqAnd(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	c := s.c[lo:hi][:len(d)]
	for i := range d {
		d[i] = maskOf(a[i] == b[i]) & c[i]
	}
}

func stepIeqAnd(_ *Executor, s *step, lo, hi int) {
	d, a, b, c := s.ternary(lo, hi)
	for i := range d {
		d[i] = maskOf(a[i] == b[i]) & c[i]
	}
}

func stepAndAnd(_ *Executor, s *step, lo, hi int) {
	d, a, b, c := s.ternary(lo, hi)
	for i := range d {
		d[i] = a[i] & b[i] & c[i]
	}
}

func stepAndOr(_ *Executor, s *step, lo, hi int) {
	d, a, b, c := s.ternary(lo, hi)
	for i := range d {
		d[i] = a[i]&b[i] | c[i]
	}
}

func stepOrOr(_ *Executor, s *step, lo, hi int) {
	d, a, b, c := s.ternary(lo, hi)
	for i := range d {
		d[i] = a[i] | b[i] | c[i]
	}
}

func stepAndIeq(_ *Executor, s *step, lo, hi int) {
	d, a, b, c := s.ternary(lo, hi)
	for i := range d {
		d[i] = maskOf(a[i]&b[i] == c[i])
	}
}

func stepFltOr(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	c := s.c[lo:hi][:len(d)]
	for i := range d {
		d[i] = maskOf(a[i] < b[i]) | c[i]
	}
}

func stepFleOr(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	c := s.c[lo:hi][:len(d)]
	for i := range d {
		d[i] = maskOf(a[i] <= b[i]) | c[i]
	}
}

func stepFltSel(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	c, e := s.c[lo:hi][:len(d)], s.e[lo:hi][:len(d)]
	for i := range d {
		d[i] = choose(a[i] < b[i], c[i], e[i])
	}
}

func stepFleSel(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	c, e := s.c[lo:hi][:len(d)], s.e[lo:hi][:len(d)]
	for i := range d {
		d[i] = choose(a[i] <= b[i], c[i], e[i])
	}
}

func stepFeqSel(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	c, e := s.c[lo:hi][:len(d)], s.e[lo:hi][:len(d)]
	for i := range d {
		d[i] = choose(a[i] == b[i], c[i], e[i])
	}
}

// choose is x where c, else y, without a jump.
func choose(c bool, x, y uint64) uint64 {
	if c {
		y = x
	}
	return y
}
