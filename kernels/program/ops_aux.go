package program

// stepAux gathers the Aux of a slot quarter.
func stepAux(ex *Executor, s *step, lo, hi int) {
	d := s.dst[lo:hi]
	at := ex.slot[lo:hi]
	at = at[:len(d)]
	quarter := ex.in[uint64(s.imm)*ex.capacity:][:ex.capacity]
	for i := range d {
		d[i] = uint64(quarter[at[i]].Aux)
	}
}
