// Package kernels is the catalogue of signal operators and the compiler from signal text to programs.
//
//	[]SignalSpec ─► expr.Parse, expr.Check ─► expr.Graph ─► emitter ─► program.Builder ─► Compiled{Program, Signals}
//	                        ▲                                  ▲
//	                        └── signature ── Operator ── emit ─┘      every operator is defined once
//
// What other instruments contribute is a program of its own, run on their ticks before the dependents' slots are made:
//
//	tick of cme.ES ─► ReferenceProgram ─► row: value, fresh bit ─┐
//	tick of an instrument, or a clock's boundary ────────────────┴─► slot: fields, control word, clocks, references ─► Program
//
// To add an operator: write its definition next to its kin with its documentation and its emit function, out of the
// parts in part.go where they fit, list it in its family (catalogue.go has the families), give it a slow plain rule (a
// node at a time in plain_test.go, or a series at a time in technical_test.go) and a table by hand, and run go test
// -update for docs/language.md. Nothing else knows operators by name. docs/agreement.md compares with others.
//
// A number compiles to a float64 whose undefined value is the canonical NaN; a condition to two masks, true and
// false, neither of them where it is undefined; both with a third mask, fresh: updated on this tick.
//
// Who may call what: Compile and the catalogue are control plane. A Compiled is immutable and may be shared.
//
// Invariants:
//   - State words are loaded as of the start of the tick and stored at most once.
//   - Equal expressions share state if gap policy, sampling clock and referenced instrument are equal, and only then.
//   - What evaluates a signal, what is fresh and what is reset is in the program, the slots and the rows alone.
//   - The same specs give the same program, listing and hashes in every process.
//   - Operators step for every tick of an instrument, whether or not a signal is enabled for it.
//
// What it deliberately does not do: throttles, expiry, horizons and which instruments a signal is for belong to the
// configuration and to package risk; it knows no time but the slot's, and no executor but for tables (Table.Evaluate).
package kernels
