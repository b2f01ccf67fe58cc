package kernels

import (
	"math"
	"math/bits"
	"slices"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// value is a node as instructions. A number has number, a condition isTrue and isFalse (neither: undefined).
type value struct {
	number  program.Value // F, any non-finite bits are undefined
	isTrue  program.Value // M
	isFalse program.Value // M
	fresh   program.Value // M: updated on this tick
}

// emittedNumber is a number and its freshness.
type emittedNumber struct {
	number, fresh program.Value
}

// call is an operator's use: its arguments (fields that it reads first), settings, and the reset mask of its gap
// policy.
type call struct {
	args     []value
	refs     []expr.Ref
	settings []expr.Setting
	reset    program.Value
}

// emitter turns graph nodes into instructions, each once.
type emitter struct {
	b            *program.Builder
	graph        *expr.Graph
	catalogue    *Catalogue
	subIntervals int
	done         map[expr.Ref]value
	newest       map[newestKey]newestValue
	lagged       map[newestKey]program.Value
	fields       map[int]emittedNumber // by slot quarter, trades from tradeWords
	parts        map[partKey]value     // what operators are made of, shared between them
	sessions     map[sessionKey][]program.Value
	uses         []nodeUse      // by node: what it reads
	slots        []int          // slot quarters of the references
	params       map[string]int // state words of parameters, by signal.name
	clocks       []int64        // periods in ns
}

// newestKey names the state word that holds the newest stepped value of a node.
type newestKey struct {
	ref   expr.Ref
	reset program.Value
}

type newestValue struct{ now, before program.Value }

func newEmitter(g *expr.Graph, c *Catalogue, subIntervals int) *emitter {
	return &emitter{
		b: program.NewBuilder(), graph: g, catalogue: c, subIntervals: subIntervals, uses: usesOf(g, c, nil),
		done: map[expr.Ref]value{}, newest: map[newestKey]newestValue{}, lagged: map[newestKey]program.Value{}, fields: map[int]emittedNumber{},
		parts: map[partKey]value{}, sessions: map[sessionKey][]program.Value{}, params: map[string]int{},
	}
}

// undefined is the canonical NaN.
func (e *emitter) undefined() program.Value { return e.b.ConstF(math.NaN()) }

// never is the mask that is false on every tick.
func (e *emitter) never() program.Value { return e.b.ConstM(false) }

// ctlBit is the mask of one bit of the control word.
func (e *emitter) ctlBit(bit int64) program.Value {
	k := e.b.ConstI(bit)
	return e.b.Ieq(e.b.And(e.b.Ctl(), k), k)
}

// reset is the mask that empties a node's state: under rewarm, something went missing of what the node reads.
func (e *emitter) reset(ref expr.Ref) program.Value {
	mask := e.never()
	if e.graph.Nodes[ref].Gap == expr.GapHold {
		return mask
	}
	use := e.uses[ref]
	if use.quote || use.trade || use.references == 0 {
		mask = e.ctlBit(program.CtlGap)
	}
	for i, quarter := range e.slots {
		if use.references>>i&1 != 0 {
			mask = e.b.Or(mask, e.auxBit(quarter, ReferenceGap))
		}
	}
	return mask
}

// auxBit is the mask of one bit of a slot quarter's Aux.
func (e *emitter) auxBit(quarter int, bit int64) program.Value {
	k := e.b.ConstI(bit)
	return e.b.Ieq(e.b.And(e.b.Aux(quarter), k), k)
}

// clock is the mask of the boundaries of a clock.
func (e *emitter) clock(periodNs int64) program.Value {
	return e.auxBit(ClockAuxQuarter, 1<<slices.Index(e.clocks, periodNs))
}

// node emits a node after everything below it.
func (e *emitter) node(ref expr.Ref) value {
	if v, ok := e.done[ref]; ok {
		return v
	}
	n := &e.graph.Nodes[ref]
	args := make([]value, len(n.Args))
	for i, arg := range n.Args {
		args[i] = e.node(arg)
	}
	v := e.emit(ref, n, args)
	e.done[ref] = v
	return v
}

func (e *emitter) emit(ref expr.Ref, n *expr.Node, args []value) value {
	switch n.Op {
	case expr.OpConst:
		return value{number: e.b.ConstF(n.Value), fresh: e.never()}
	case expr.OpBool:
		return value{isTrue: e.b.ConstM(n.Value != 0), isFalse: e.b.ConstM(n.Value == 0), fresh: e.never()}
	case expr.OpField:
		f := e.catalogue.field[n.Name].emit(e)
		return value{number: f.number, fresh: f.fresh}
	case expr.OpCall:
		c := call{args: args, refs: n.Args, settings: n.Settings}
		if n.Stateful {
			c.reset = e.reset(ref)
		}
		return e.catalogue.operator[n.Name].emit(e, c)
	case expr.OpParam:
		return value{number: e.param(n), fresh: e.never()}
	case expr.OpSampled:
		return value{number: args[0].number, fresh: e.clock(n.PeriodNs)}
	case expr.OpReference:
		return e.reference(ref, n)
	case expr.OpNeg:
		return value{number: e.b.Neg(args[0].number), fresh: args[0].fresh}
	case expr.OpNot:
		return value{isTrue: args[0].isFalse, isFalse: args[0].isTrue, fresh: args[0].fresh}
	}
	return e.emitBinary(n.Op, args[0], args[1])
}

// param is a state word that the engine sets when it defines an instrument.
func (e *emitter) param(n *expr.Node) program.Value {
	word, ok := e.params[n.Name]
	if !ok {
		word = e.b.AllocState(1, program.Canonical(n.Value))
		e.params[n.Name] = word
	}
	return e.b.Load(word, program.F)
}

// reference is a value that the slot brings from another instrument.
func (e *emitter) reference(ref expr.Ref, n *expr.Node) value {
	quarter := e.slots[bits.TrailingZeros32(e.uses[ref].references)]
	v := value{number: e.b.Slot(quarter), fresh: e.never()}
	if n.Remote.Live {
		v.fresh = e.auxBit(quarter, ReferenceFresh)
	}
	return v
}

func (e *emitter) emitBinary(op expr.Op, x, y value) value {
	b := e.b
	v := value{fresh: b.Or(x.fresh, y.fresh)}
	switch op {
	case expr.OpAdd:
		v.number = b.Add(x.number, y.number)
	case expr.OpSub:
		v.number = b.Sub(x.number, y.number)
	case expr.OpMul:
		v.number = b.Mul(x.number, y.number)
	case expr.OpDiv:
		v.number = b.Div(x.number, y.number)
	case expr.OpLess:
		v.isTrue, v.isFalse = b.Flt(x.number, y.number), b.Fle(y.number, x.number)
	case expr.OpLessEqual:
		v.isTrue, v.isFalse = b.Fle(x.number, y.number), b.Flt(y.number, x.number)
	case expr.OpEqual:
		v.isTrue = b.Feq(x.number, y.number)
		v.isFalse = b.Or(b.Flt(x.number, y.number), b.Flt(y.number, x.number))
	case expr.OpAnd:
		v.isTrue, v.isFalse = b.And(x.isTrue, y.isTrue), b.Or(x.isFalse, y.isFalse)
	case expr.OpOr:
		v.isTrue, v.isFalse = b.Or(x.isTrue, y.isTrue), b.And(x.isFalse, y.isFalse)
	}
	return v
}

// anyFresh is the mask that one of the values was updated.
func (e *emitter) anyFresh(values ...value) program.Value {
	fresh := values[0].fresh
	for _, v := range values[1:] {
		fresh = e.b.Or(fresh, v.fresh)
	}
	return fresh
}

// step is the mask on which a stateful operator steps: an input is fresh and all are defined.
func (e *emitter) step(inputs ...value) program.Value {
	step := e.anyFresh(inputs...)
	for _, v := range inputs {
		step = e.b.And(step, e.b.Defined(v.number))
	}
	return step
}

// loadReset is a number in state as of the start of the tick, undefined if the tick resets it.
func (e *emitter) loadReset(word int, reset program.Value) program.Value {
	return e.b.Sel(reset, e.undefined(), e.b.Load(word, program.F))
}

// words allocates state words that are undefined at first.
func (e *emitter) words(n int) int {
	init := make([]uint64, n)
	for i := range init {
		init[i] = program.CanonicalNaN
	}
	return e.b.AllocState(n, init...)
}

// newestOf is the last defined value of an updated x, now and before this tick; operators of the same x share it.
func (e *emitter) newestOf(ref expr.Ref, x value, reset program.Value) newestValue {
	key := newestKey{ref, reset}
	if v, ok := e.newest[key]; ok {
		return v
	}
	word := e.words(1)
	v := newestValue{before: e.loadReset(word, reset)}
	v.now = e.b.Sel(e.step(x), x.number, v.before)
	e.b.Store(word, v.now)
	e.newest[key] = v
	return v
}
