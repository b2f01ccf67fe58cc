// Package risk decides which fired signals leave the engine, as what action, and says why the others do not.
//
//	rows in sequence order ──► Desk ──► decided signals (Taker), in order, numbered per subject
//	 (event, masks, values)     │
//	 fills, facts, commands     └─────► refusals counted by gate, a sample of them told (Refuser); suppressions counted
//
// A Desk keeps, for each instrument, the market as last seen and what fills add up to, and for each pair of signal and
// instrument, whether a position in it is open. From those, the event and the configuration it decides:
//
//	fired    pair     becomes
//	when     closed   enter, if every gate passes
//	when     open     update, if every gate passes
//	exit     open     exit; wins over when; passes every gate but sequence, and value if that is not a number
//	exit     closed   nothing
//	-        open     withdraw, at a halt, gap, kill, or when too much was lost; passes every gate but sequence
//
// A pair whose valid-until has passed is closed, silently. A signal with neither exit nor expires never
// opens: each firing is an enter. A refused enter opens nothing, and nothing is held back to be sent later.
//
// The gates are in gates.go, in the order in which they are asked (Order), each defined by a line of Desk.refuses; their
// limits are Limits, one set a signal and instrument. docs/risk.md says what each is for. Three latch until an operator
// resumes, with a note of who and why: kill, repeated entries, and too much lost.
//
// Who may call what: one goroutine owns a Desk. Counts may be read from any goroutine.
//
// Invariants:
//   - a decision is a function of the events so far and the configuration: no clock, no map order. What a clock, a disk or
//     another process says comes as an event;
//   - gates run in Order and the first that refuses is the reason; one that cannot decide refuses;
//   - rates and the throttle are last, and only enters and updates that passed are charged to them;
//   - output sequences are +1 per pair of signal and instrument, taken only by what is decided;
//   - withdraws of one event are ordered by the instruments' escaped names, then by signal;
//   - the state has a fixed size and AppendState and LoadState carry all of it, so a desk goes on where another ended;
//   - no allocation after Define.
//
// The package does not publish, does not know orders, prices to trade at, or credit, and cannot replace the
// controls of a broker.
package risk
