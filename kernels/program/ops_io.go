package program

import "math"

// stepSlot gathers a slot quarter's values.
func stepSlot(ex *Executor, s *step, lo, hi int) {
	d := s.dst[lo:hi]
	at := ex.slot[lo:hi]
	at = at[:len(d)]
	quarter := ex.in[uint64(s.imm)*ex.capacity:][:ex.capacity]
	for i := range d {
		d[i] = quarter[at[i]].Value
	}
}

// stepSlotCanon gathers a slot quarter's values and makes them canonical.
func stepSlotCanon(ex *Executor, s *step, lo, hi int) {
	d := s.dst[lo:hi]
	at := ex.slot[lo:hi]
	at = at[:len(d)]
	quarter := ex.in[uint64(s.imm)*ex.capacity:][:ex.capacity]
	for i := range d {
		d[i] = canonicalBits(quarter[at[i]].Value)
	}
}

// stepCtl gathers the control words.
func stepCtl(ex *Executor, s *step, lo, hi int) {
	d := s.dst[lo:hi]
	at := ex.slot[lo:hi]
	at = at[:len(d)]
	quarter := ex.in[SlotF1*ex.capacity:][:ex.capacity]
	for i := range d {
		d[i] = uint64(quarter[at[i]].Aux)
	}
}

// stepLoad gathers a state word.
func stepLoad(ex *Executor, s *step, lo, hi int) {
	d := s.dst[lo:hi]
	base := ex.base[lo:hi]
	base = base[:len(d)]
	words := ex.state[s.imm:]
	for i := range d {
		d[i] = words[base[i]]
	}
}

// stepSelLoad chooses between a value and a state word.
func stepSelLoad(ex *Executor, s *step, lo, hi int) {
	d, m, a := s.binary(lo, hi)
	base := ex.base[lo:hi]
	base = base[:len(d)]
	words := ex.state[s.imm:]
	for i := range d {
		d[i] = a[i]&m[i] | words[base[i]]&^m[i]
	}
}

// stepStore scatters a state word.
func stepStore(ex *Executor, s *step, lo, hi int) {
	a := s.a[lo:hi]
	base := ex.base[lo:hi]
	base = base[:len(a)]
	words := ex.state[s.imm:]
	for i := range a {
		words[base[i]] = a[i]
	}
}

// stepEmit scatters a value to a row quarter where its mask is set.
func stepEmit(ex *Executor, s *step, lo, hi int) {
	m, v := s.a[lo:hi], s.b[lo:hi]
	v = v[:len(m)]
	quarter := ex.out[uint64(s.imm)*ex.capacity:][:ex.capacity]
	for i := range m {
		if m[i] != 0 {
			quarter[ex.slot[lo+i]].Value = v[i]
		}
	}
}

// stepEmitMask scatters a value to a row quarter.
func stepEmitMask(ex *Executor, s *step, lo, hi int) {
	v := s.a[lo:hi]
	at := ex.slot[lo:hi]
	at = at[:len(v)]
	quarter := ex.out[uint64(s.imm)*ex.capacity:][:ex.capacity]
	for i := range v {
		quarter[at[i]].Value = v[i]
	}
}

// window returns the state words of the step's window for the tick in column i.
func (s *step) window(ex *Executor, i int) []uint64 {
	return ex.state[ex.base[i]+s.win.at:][:s.win.words]
}

func stepSumSamples(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		w.out[0][i], w.out[1][i], w.out[2][i] = sumSamples(s.window(ex, i), w.desc.N, s.a[i], s.b[i], s.c[i])
	}
}

func stepSumDuration(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		w.out[0][i], w.out[1][i], w.out[2][i] = sumDuration(s.window(ex, i), &w.desc, ex.timeNs(i), s.a[i], s.b[i], s.c[i])
	}
}

func stepMomentsSamples(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		m, newest, warm := momentsSamples(s.window(ex, i), w.desc.N, s.a[i], s.b[i], s.c[i])
		w.putMoments(i, m, newest, warm)
	}
}

func stepMomentsDuration(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		m, newest, warm := momentsDuration(s.window(ex, i), &w.desc, ex.timeNs(i), s.a[i], s.b[i], s.c[i])
		w.putMoments(i, m, newest, warm)
	}
}

func (w *windowStep) putMoments(i int, m moments, newest float64, warm uint64) {
	w.out[0][i], w.out[1][i] = m.center(), m.spread()
	w.out[2][i], w.out[3][i] = math.Float64bits(m.n), warm
	w.out[4][i] = m.deviation(newest)
}

func stepLag(ex *Executor, s *step, lo, hi int) {
	w := s.win
	for i := lo; i < hi; i++ {
		w.out[0][i], w.out[1][i] = lagSamples(s.window(ex, i), w.desc.N, s.a[i], s.b[i], s.c[i])
	}
}

// timeNs is the engine time of the tick in column i.
func (ex *Executor) timeNs(i int) int64 {
	return int64(ex.in[SlotTime*ex.capacity+ex.slot[i]].Value)
}
