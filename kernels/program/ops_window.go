package program

func stepExtremeSamples(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		w.out[0][i], w.out[1][i], w.out[2][i] = extremeSamples(s.window(ex, i), &w.desc, s.a[i], s.b[i], s.c[i])
	}
}

func stepExtremeDuration(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		w.out[0][i], w.out[2][i] = extremeDuration(s.window(ex, i), &w.desc, ex.timeNs(i), s.a[i], s.b[i], s.c[i])
		w.out[1][i] = CanonicalNaN
	}
}

func stepWeighted(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		w.out[0][i], w.out[1][i], w.out[2][i] = weightedSamples(s.window(ex, i), w.desc.N, s.a[i], s.b[i], s.c[i])
	}
}

func stepRank(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		w.out[0][i], w.out[1][i], w.out[2][i] = rankSamples(s.window(ex, i), w.desc.N, s.a[i], s.b[i], s.c[i])
	}
}
