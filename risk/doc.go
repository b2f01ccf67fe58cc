// Package risk decides which fired signals leave the engine, as what action, and says why the others do not.
//
//	rows in sequence order ──► Desk ──► decided signals (Taker), in order, numbered per subject
//	 (event, masks, values)     │
//	                            └─────► refusals counted by gate, suppressions counted
//
// A Desk keeps, for each instrument, the market as last seen, and for each pair of signal and instrument,
// whether a position in it is open. From those, the event and the configuration it decides:
//
//	fired    pair     becomes
//	when     closed   enter, if every gate passes
//	when     open     update, if every gate passes
//	exit     open     exit; wins over when; passes every gate
//	exit     closed   nothing
//	-        open     withdraw, at a halt, gap or kill; passes every gate
//
// A pair whose valid-until has passed is closed, silently. A signal with neither exit nor expires never
// opens: each firing is an enter. A refused enter opens nothing, and nothing is held back to be sent later.
//
// Who may call what: one goroutine owns a Desk. Counts may be read from any goroutine.
//
// Invariants:
//   - a decision is a function of the events so far and the configuration: no clock, no map order;
//   - gates run in the order of their numbers and the first that refuses is the reason;
//   - the throttle is last, and only enters and updates that passed charge it;
//   - output sequences are +1 per pair of signal and instrument, taken only by what is decided;
//   - withdraws of one event are ordered by the instruments' escaped names, then by signal;
//   - no allocation after Define.
//
// The package does not publish, does not know orders, prices to trade at, or credit, and cannot replace the
// controls of a broker.
package risk
