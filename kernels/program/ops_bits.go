package program

func stepIlt(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binary(lo, hi)
	for i := range d {
		d[i] = maskOf(int64(a[i]) < int64(b[i]))
	}
}

func stepIeq(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binary(lo, hi)
	for i := range d {
		d[i] = maskOf(a[i] == b[i])
	}
}

func stepSel(_ *Executor, s *step, lo, hi int) {
	d, m, a, b := s.ternary(lo, hi)
	for i := range d {
		d[i] = a[i]&m[i] | b[i]&^m[i]
	}
}

func stepAnd(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binary(lo, hi)
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func stepOr(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binary(lo, hi)
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func stepXor(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binary(lo, hi)
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func stepAndn(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binary(lo, hi)
	for i := range d {
		d[i] = a[i] &^ b[i]
	}
}

func stepShl(_ *Executor, s *step, lo, hi int) {
	d, a := s.unary(lo, hi)
	n := s.imm & 63
	for i := range d {
		d[i] = a[i] << n
	}
}

func stepShr(_ *Executor, s *step, lo, hi int) {
	d, a := s.unary(lo, hi)
	n := s.imm & 63
	for i := range d {
		d[i] = a[i] >> n
	}
}

func stepIadd(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binary(lo, hi)
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func stepIsub(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binary(lo, hi)
	for i := range d {
		d[i] = a[i] - b[i]
	}
}
