// Package exact is exp, log, pow, tanh, the normal distribution and their kin, made of the operations on whose bits all
// processors agree: + - * / sqrt, comparisons, selections and integer bit operations. No fused multiply-add, no library.
//
//	                    ┌─ native ──► Exp(x) float64                     a Go function
//	exp (written once) ─┤
//	 over a machine     └─ emitter ─► BuildExp(b, x) program.Value       instructions of a program
//
// Each algorithm is a generic function over a machine, an arithmetic. With native it computes, with emitter it appends to
// a program.Builder. Both do the same operations in the same order, so Exp(x) has the bits that an executor of BuildExp
// gives, on any processor and any device.
//
// Conventions are those of programs: undefined is NaN with the bits 0x7ff8000000000000; an undefined or infinite argument
// gives undefined, and so does a result that is too large; subnormal results are kept. docs/numerics.md has the domains,
// the algorithms, the measured errors and the instructions each takes.
//
// Who may call what: everything is pure and may be called from any goroutine; a Builder belongs to one. Calls allocate
// nothing, except in the builder. The Go functions are made for generators, tests and control code: tens to hundreds of
// nanoseconds, as each operation is a call.
//
// Invariants:
//   - the Go function and the built instructions agree to the bit for every argument;
//   - the error is below the bound in docs/numerics.md, one unit in the last place at most, over the whole range;
//   - polynomials are derived in the tests by Remez's algorithm, with references of package math/big.
//
// It deliberately has no table look-up (programs have none), no rounding modes, no infinities and no signalling of
// overflow apart from undefined.
package exact
