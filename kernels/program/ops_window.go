package program

import "math"

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

func stepMoments2Samples(ex *Executor, s *step, lo, hi int) {
	for i := lo; i < hi; i++ {
		var m moments2
		warm := moments2Samples(&m, s.window(ex, i), s.win.desc.N, s.a[i], s.b[i], s.c[i], s.e[i])
		s.win.putMoments2(i, &m, warm)
	}
}

func stepMoments2Duration(ex *Executor, s *step, lo, hi int) {
	for i := lo; i < hi; i++ {
		var m moments2
		warm := moments2Duration(&m, s.window(ex, i), &s.win.desc, ex.timeNs(i), s.a[i], s.b[i], s.c[i], s.e[i])
		s.win.putMoments2(i, &m, warm)
	}
}

func (w *windowStep) putMoments2(i int, m *moments2, warm uint64) {
	w.out[0][i], w.out[1][i] = m.x.center(), m.y.center()
	w.out[2][i], w.out[3][i] = m.x.spread(), m.y.spread()
	w.out[4][i], w.out[5][i] = m.product(), math.Float64bits(m.x.n)
	w.out[6][i] = warm
}

func stepAbsdev(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		w.out[0][i], w.out[1][i], w.out[2][i] = absdevSamples(s.window(ex, i), w.desc.N, s.a[i], s.b[i], s.c[i])
	}
}
