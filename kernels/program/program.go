package program

import (
	"crypto/sha256"
	"errors"
	"unsafe"
)

// Quarter is sixteen bytes of a slot or a row. The device reads and writes it indivisibly.
type Quarter struct {
	Value uint64
	Aux   uint32
	Stamp uint32
}

// The layout is shared with the device.
var (
	_ [16]byte = [unsafe.Sizeof(Quarter{})]byte{}
	_ [8]byte  = [unsafe.Offsetof(Quarter{}.Aux)]byte{}
	_ [12]byte = [unsafe.Offsetof(Quarter{}.Stamp)]byte{}
)

// Slot quarters.
const (
	SlotF0           = 0 // Value = first value of the tick, Aux = instrument index within the lane
	SlotF1           = 1 // Value = second value, Aux = control word
	SlotF2           = 2
	SlotF3           = 3
	SlotTime         = 4 // Value = engine time, int64 nanoseconds
	SlotQuartersBase = 5 // quarters every slot has
	MaxSlotQuarters  = 64
)

// Row quarters.
const (
	RowWhen       = 0 // bit i: signal i's when
	RowExit       = 1 // bit i: signal i's exit
	RowSuppressed = 2 // bit i: signal i was suppressed
	RowFirst      = 3 // first output
	MaxRowQuarter = 1 << 12
	MaxStateWords = 1 << 22
)

// The control word: bits 0..7 feed.Kind, 8..15 feed.Flags, then the sequencer's bits.
const (
	CtlKindMask        = 0xff
	CtlFlagsShift      = 8
	CtlGap             = 1 << 16 // something is missing before this tick: rewarm
	CtlSessionReset    = 1 << 17
	CtlFreshQuote      = 1 << 18
	CtlFreshTrade      = 1 << 19
	CtlFreshBook       = 1 << 20
	CtlClockEvaluation = 1 << 21 // a clock's boundary: which, is in quarter 2's Aux
	CtlRefEvaluation   = 1 << 22 // a tick of a referenced instrument: which value is fresh, is in its quarter's Aux
)

// Part names one of the three parts of a program.
type Part uint8

// The parts, in the order they run.
const (
	PartBefore Part = iota
	PartRecur
	PartAfter
)

// String returns the part's name in the listing.
func (p Part) String() string {
	switch p {
	case PartBefore:
		return "before"
	case PartRecur:
		return "recur"
	case PartAfter:
		return "after"
	}
	return "unknown"
}

// Program is a verified program. It is immutable: share it freely, change nothing.
type Program struct {
	Before, Recur, After []Instr
	Windows              []Window
	Init                 []uint64 // initial state words of an instrument, StateWords long
	StateWords           int      // state words an instrument; word 0 is the enable mask
	RowQuarters          int      // quarters of a row
	SlotQuarters         int      // quarters of a slot
}

// ErrInvalid is what every error of Build, Verify, ParseListing and NewExecutor wraps.
var ErrInvalid = errors.New("program: invalid")

// Error says where a program is wrong and how.
type Error struct {
	Where   string // an instruction, a window, a line
	Problem string
}

// Error returns one line.
func (e *Error) Error() string {
	if e.Where == "" {
		return "program: " + e.Problem
	}
	return "program: " + e.Where + ": " + e.Problem
}

// Unwrap returns ErrInvalid.
func (e *Error) Unwrap() error { return ErrInvalid }

// part returns the instructions of a part.
func (p *Program) part(part Part) []Instr {
	switch part {
	case PartBefore:
		return p.Before
	case PartRecur:
		return p.Recur
	default:
		return p.After
	}
}

// values returns how many values the program defines.
func (p *Program) values() int {
	n := 0
	for part := PartBefore; part <= PartAfter; part++ {
		for i := range p.part(part) {
			if p.part(part)[i].Dst != NoValue {
				n++
			}
		}
	}
	return n
}

// Fingerprint is the SHA-256 of the listing: equal programs, and only those, have equal fingerprints.
func (p *Program) Fingerprint() [sha256.Size]byte {
	return sha256.Sum256([]byte(p.String()))
}
