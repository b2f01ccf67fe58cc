package program

import "fmt"

// Reset puts every instrument into its initial state.
func (ex *Executor) Reset() {
	for i := 0; i < len(ex.state); i += len(ex.program.Init) {
		copy(ex.state[i:], ex.program.Init)
	}
}

// Word returns a state word of an instrument. It panics when either is out of range.
func (ex *Executor) Word(instrument, off int) uint64 { return *ex.word(instrument, off) }

// SetWord sets a state word of an instrument, between Runs. Word 0 is the enable mask; other words are for tests, and
// take canonical values only. It panics when either is out of range.
func (ex *Executor) SetWord(instrument, off int, bits uint64) { *ex.word(instrument, off) = bits }

func (ex *Executor) word(instrument, off int) *uint64 {
	if instrument < 0 || instrument >= ex.instruments || off < 0 || off >= ex.program.StateWords {
		panic(fmt.Sprintf("program: state word %d of instrument %d: have %d words of %d instruments",
			off, instrument, ex.program.StateWords, ex.instruments))
	}
	return &ex.state[instrument*ex.program.StateWords+off]
}

// Instrument returns the state words of an instrument, to be read or replaced between Runs. It panics when it is out of range.
func (ex *Executor) Instrument(instrument int) []uint64 {
	words := ex.program.StateWords
	return ex.state[instrument*words:][:words:words]
}

// SnapshotState returns a copy of all state: instrument after instrument, Program.StateWords words each.
func (ex *Executor) SnapshotState() []uint64 {
	return append([]uint64(nil), ex.state...)
}

// RestoreState replaces all state by a snapshot of the same program and number of instruments.
func (ex *Executor) RestoreState(state []uint64) error {
	if len(state) != len(ex.state) {
		return &Error{Where: "restore", Problem: fmt.Sprintf("%d words, want %d", len(state), len(ex.state))}
	}
	copy(ex.state, state)
	return nil
}
