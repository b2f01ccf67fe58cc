package signal

import "strings"

// Action says what a signal asks of its consumer.
type Action uint8

// The actions. Values are part of the binary form: append only, never reuse.
const (
	ActionEnter    Action = 1 // open
	ActionUpdate   Action = 2 // still open, new values
	ActionExit     Action = 3 // close, by the signal's own rule
	ActionWithdraw Action = 4 // close, because the engine no longer vouches for it; see Reason
)

var actionNames = [...]string{
	ActionEnter: "enter", ActionUpdate: "update", ActionExit: "exit", ActionWithdraw: "withdraw",
}

func (a Action) known() bool { return a >= ActionEnter && a <= ActionWithdraw }

// String returns the action's name as JSON spells it, or "invalid".
func (a Action) String() string {
	if a.known() {
		return actionNames[a]
	}
	return "invalid"
}

// ParseAction returns the action of a name as String spells it.
func ParseAction(name string) (Action, bool) {
	for a := ActionEnter; a <= ActionWithdraw; a++ {
		if actionNames[a] == name {
			return a, true
		}
	}
	return 0, false
}

// Reason says why a signal was withdrawn.
type Reason uint8

// The reasons. Values are part of the binary form: append only, never reuse.
const (
	ReasonNone     Reason = 0   // not a withdraw; null in JSON
	ReasonHalt     Reason = 1   // the instrument was halted
	ReasonGap      Reason = 2   // market data is missing
	ReasonKill     Reason = 3   // an operator's kill
	ReasonDrawdown Reason = 4   // too much was lost
	ReasonValue    Reason = 5   // it exited with a value that is not a number
	ReasonUnknown  Reason = 255 // decoded from JSON, where a newer engine wrote a name this package does not know
)

var reasonNames = [...]string{ReasonNone: "none", ReasonHalt: "halt", ReasonGap: "gap", ReasonKill: "kill", ReasonDrawdown: "drawdown", ReasonValue: "value"}

// String returns the reason's name as JSON spells it; ReasonNone is "none", and "unknown" stands for all others.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

func parseReason(name string) Reason {
	for r := ReasonHalt; int(r) < len(reasonNames); r++ {
		if reasonNames[r] == name {
			return r
		}
	}
	return ReasonUnknown
}

// Flags are doubts about a signal that its consumer may weigh.
type Flags uint32

// The flags. Bits are part of the binary form: append only, never reuse.
const (
	FlagGap      Flags = 1 << 0  // market data was missing shortly before
	FlagLate     Flags = 1 << 1  // the causing tick was behind engine time (clock: exchange)
	FlagCrossed  Flags = 1 << 2  // bid above ask
	FlagHalted   Flags = 1 << 3  // the instrument is halted
	FlagInexact  Flags = 1 << 4  // a model in an inexact mode took part
	FlagGatesOff Flags = 1 << 5  // risk gates were switched off
	FlagSkew     Flags = 1 << 6  // exchange time was ahead of receive time by more than the limit
	FlagUnknown  Flags = 1 << 31 // decoded from JSON, where a newer engine wrote a name this package does not know

	flagsNamed = FlagGap | FlagLate | FlagCrossed | FlagHalted | FlagInexact | FlagGatesOff | FlagSkew
)

var flagNames = [...]string{"gap", "late", "crossed", "halted", "inexact", "gates_off", "skew"}

const flagUnknownName = "unknown"

// String returns the names of the set flags joined by commas, in the order of their bits; "unknown" stands for all
// bits that have no name.
func (f Flags) String() string {
	var names []string
	for bit, name := range flagNames {
		if f&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	if f&^flagsNamed != 0 {
		names = append(names, flagUnknownName)
	}
	return strings.Join(names, ",")
}

func parseFlag(name string) Flags {
	for bit, known := range flagNames {
		if known == name {
			return 1 << bit
		}
	}
	return FlagUnknown
}
