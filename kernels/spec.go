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
	OnGap    expr.GapPolicy
}

// MaxSignals is how many signals one program holds: row masks have a bit for each.
const MaxSignals = 64

// Options bound a program. The zero value means the defaults.
type Options struct {
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

// Error is a mistake in one part of one signal.
type Error struct {
	Signal  int    // index into the specs, -1 for the program as a whole
	Part    string // "name", "value", "when", "exit", "side", "strength" or "program"
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
}

// CompiledSignal is one signal of a program; its index is its bit in the row's masks and in the enable mask.
type CompiledSignal struct {
	Name            string
	ValueQuarter    int // row quarter of the value, written where a when or exit bit is set
	SideQuarter     int // -1 if the signal has none
	StrengthQuarter int // -1 if the signal has none
	HasExit         bool
	UsesQuote       bool // any part depends on quotes
	UsesTrade       bool // any part depends on trades
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
