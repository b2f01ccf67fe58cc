package kernels

import (
	"fmt"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// SignalSpec is one signal as a user wrote it: the texts that make up the program. Exit, Side and Strength may be
// empty.
type SignalSpec struct {
	Name     string
	Value    string
	When     string
	Exit     string
	Side     string
	Strength string
	On       []string // what evaluates it: self, ref("venue", "symbol"), or clock(100ms) alone; none means self
	Params   []ParamSpec
	OnGap    expr.GapPolicy
}

// ParamSpec is a named constant of one signal: a number, or a duration for windows.
type ParamSpec struct {
	Name       string
	Text       string
	Overridden bool // instruments may have values of their own, so it is a state word and no setting of an operator
}

// LetSpec is a named expression that all signals, and the lets after it, may use.
type LetSpec struct {
	Name string
	Text string
}

// MaxSignals is how many signals one program holds: row masks have a bit for each.
const MaxSignals = 64

// Options bound a program. The zero value means the defaults.
type Options struct {
	Lets             []LetSpec
	NoSession        bool  // no session is configured, so it cannot be a window
	SampleLimit      int64 // largest sample window, expr.DefaultSampleLimit
	SubIntervals     int   // parts of a duration window, program.DefaultWindowSub
	StateWordsLimit  int   // state words an instrument, DefaultStateWordsLimit
	InstructionLimit int   // instructions of the program, DefaultInstructionLimit
}

// The default bounds: 8 MiB of state an instrument, and a program that a mistake did not blow up.
const (
	DefaultStateWordsLimit  = 1 << 20
	DefaultInstructionLimit = 1 << 14
)

func (o Options) withDefaults() Options {
	if o.SampleLimit <= 0 {
		o.SampleLimit = expr.DefaultSampleLimit
	}
	if o.SubIntervals <= 0 {
		o.SubIntervals = program.DefaultWindowSub
	}
	if o.StateWordsLimit <= 0 {
		o.StateWordsLimit = DefaultStateWordsLimit
	}
	if o.InstructionLimit <= 0 {
		o.InstructionLimit = DefaultInstructionLimit
	}
	return o
}

// bound returns an error if the program is larger than the options allow.
func (o Options) bound(p *program.Program) error {
	if p.StateWords > o.StateWordsLimit {
		return fmt.Errorf("%d state words an instrument, the limit is %d: use shorter sample windows", p.StateWords, o.StateWordsLimit)
	}
	if n := len(p.Before) + len(p.Recur) + len(p.After); n > o.InstructionLimit {
		return fmt.Errorf("%d instructions, the limit is %d: use fewer or shorter signals", n, o.InstructionLimit)
	}
	return nil
}

// Error is a mistake in one part of one signal, or in a let.
type Error struct {
	Signal  int    // index into the specs, -1 for a let and for the program as a whole
	Part    string // "name", "value", "when", "exit", "side", "strength", "on[0]", "params.NAME"; "let.NAME" or "program"
	Text    string // the text that the mistake is in
	Mistake expr.Error
}

// Error returns one line without the position; expr.Render draws the position.
func (e *Error) Error() string {
	if e.Signal < 0 {
		return "kernels: " + e.Mistake.Error()
	}
	return fmt.Sprintf("kernels: signal %d, %s: %s", e.Signal, e.Part, e.Mistake.Error())
}

// Unwrap returns the mistake in the text.
func (e *Error) Unwrap() error { return &e.Mistake }

// Compiled is a program and how to read its rows. It is immutable.
type Compiled struct {
	Program *program.Program
	Signals []CompiledSignal
	Nodes   []Expression // every shared sub-expression, arguments before what uses them

	Clocks           []int64          // periods in ns; bit k of slot quarter 2's Aux marks a boundary of Clocks[k]
	References       []Reference      // what other instruments contribute
	ReferenceProgram *program.Program // run on the ticks of referenced instruments; nil without references
	Params           []Param          // what may differ between instruments
	ReferenceNodes   []Expression     // as Nodes, of the reference program
	UsesSession      bool             // a window is anchored at the session reset
}

// The bounds of clocks and references in one program.
const (
	MaxClocks     = 16
	MaxReferences = 16
)

// ClockAuxQuarter is the slot quarter whose Aux is the mask of clocks whose boundary the slot is, 0 for other slots.
const ClockAuxQuarter = program.SlotF2

// The bits of a reference's Aux in a slot of the program. On slots that the reference's tick did not cause, fresh is not set.
const (
	ReferenceFresh = 1 << 0 // this reference was updated: its bit was set in the row of the tick that caused the slot
	ReferenceGap   = 1 << 1 // something went missing on the referenced instrument since the instrument's last slot
)

// Reference is one expression over another instrument's ticks. The reference program computes it on every tick of that
// instrument: the value is row quarter Output (always written, undefined until warm), and bit Bit of row quarter 0 says that
// this tick updated it. Value, with Aux of ReferenceFresh and ReferenceGap, goes to quarter Quarter of the slots of every
// instrument of the program.
type Reference struct {
	Venue, Symbol string
	Text          string // the expression, canonical
	Quarter       int    // slot quarter, program.SlotQuartersBase or more
	Output        int    // row quarter of ReferenceProgram
	Bit           int    // of ReferenceProgram's row quarter 0
}

// Param is a state word that the engine sets (Executor.SetWord, the bits of a finite float64) when it defines an instrument
// for which the configuration overrides the value. The word starts as Default.
type Param struct {
	Signal  int // index into Compiled.Signals
	Name    string
	Word    int
	Default float64
}

// CompiledSignal is one signal of a program; its index is its bit in the row's masks and in the enable mask.
type CompiledSignal struct {
	Name            string
	ValueQuarter    int // row quarter of the value, written where a when or exit bit is set
	SideQuarter     int // -1 if the signal has none
	StrengthQuarter int // -1 if the signal has none
	HasExit         bool
	UsesQuote       bool  // any part depends on quotes
	UsesTrade       bool  // any part depends on trades
	Clock           int   // index into Compiled.Clocks if it is evaluated on that clock, else -1
	References      []int // what it depends on: indices into Compiled.References, ascending
	OnReferences    []int // those whose ticks are slots of its instruments (ctl bit 22); a part of References
	OnGap           expr.GapPolicy

	Value    Expression
	When     Expression
	Exit     Expression // zero if the signal has none, like Side and Strength
	Side     Expression
	Strength Expression
}

// Expression identifies a checked expression: state is keyed by its hash.
type Expression struct {
	Text      string   // canonical, see expr.Graph.Text
	Hash      [32]byte // equal for equal expressions under equal gap policies, in every process
	Stateful  bool     // it has state of its own
	UsesQuote bool     // it depends on quotes
	UsesTrade bool     // it depends on trades
}
