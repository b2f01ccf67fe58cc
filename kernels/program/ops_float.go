package program

import (
	"math"
	"unsafe"
)

// One function an operation: it computes columns lo..hi-1. The reslicing in the helpers lets the compiler drop bounds
// checks in the loops, and seeing a column as floats spares the move of every value through an integer register.
// Products are converted explicitly so that no compiler may fuse them with a sum.

// unary, binary and ternary return the part of the step's columns to work on, all of one length.
func (s *step) unary(lo, hi int) (d, a []uint64) {
	d, a = s.dst[lo:hi], s.a[lo:hi]
	return d, a[:len(d)]
}

func (s *step) binary(lo, hi int) (d, a, b []uint64) {
	d, a, b = s.dst[lo:hi], s.a[lo:hi], s.b[lo:hi]
	return d, a[:len(d)], b[:len(d)]
}

func (s *step) ternary(lo, hi int) (d, a, b, c []uint64) {
	d, a, b, c = s.dst[lo:hi], s.a[lo:hi], s.b[lo:hi], s.c[lo:hi]
	return d, a[:len(d)], b[:len(d)], c[:len(d)]
}

// floats sees a column as float64s: the same bits.
func (c *column) floats() *[chunkTicks]float64 { return (*[chunkTicks]float64)(unsafe.Pointer(c)) }

// unaryF and binaryF are unary and binary with the columns seen as floats.
func (s *step) unaryF(lo, hi int) (d, a []float64) {
	d, a = s.dst.floats()[lo:hi], s.a.floats()[lo:hi]
	return d, a[:len(d)]
}

func (s *step) binaryF(lo, hi int) (d, a, b []float64) {
	d, a, b = s.dst.floats()[lo:hi], s.a.floats()[lo:hi], s.b.floats()[lo:hi]
	return d, a[:len(d)], b[:len(d)]
}

// compareF is binary with the operands seen as floats and the result as bits.
func (s *step) compareF(lo, hi int) (d []uint64, a, b []float64) {
	d, a, b = s.dst[lo:hi], s.a.floats()[lo:hi], s.b.floats()[lo:hi]
	return d, a[:len(d)], b[:len(d)]
}

func f64(bits uint64) float64 { return math.Float64frombits(bits) }

func stepAdd(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binaryF(lo, hi)
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func stepSub(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binaryF(lo, hi)
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func stepMul(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binaryF(lo, hi)
	for i := range d {
		d[i] = float64(a[i] * b[i])
	}
}

func stepDiv(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.binaryF(lo, hi)
	for i := range d {
		d[i] = a[i] / b[i]
	}
}

func stepSqrt(_ *Executor, s *step, lo, hi int) {
	d, a := s.unaryF(lo, hi)
	for i := range d {
		d[i] = math.Sqrt(a[i])
	}
}

func stepCanon(_ *Executor, s *step, lo, hi int) {
	d, a := s.unary(lo, hi)
	for i := range d {
		d[i] = canonicalBits(a[i])
	}
}

func stepI2F(_ *Executor, s *step, lo, hi int) {
	d, a := s.unary(lo, hi)
	for i := range d {
		d[i] = math.Float64bits(float64(int64(a[i])))
	}
}

func stepFlt(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	for i := range d {
		d[i] = maskOf(a[i] < b[i])
	}
}

func stepFle(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	for i := range d {
		d[i] = maskOf(a[i] <= b[i])
	}
}

func stepFeq(_ *Executor, s *step, lo, hi int) {
	d, a, b := s.compareF(lo, hi)
	for i := range d {
		d[i] = maskOf(a[i] == b[i])
	}
}
