package kernels

import (
	"math"
	"slices"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// reference evaluates a graph the slow, plain way: everything is recomputed from the history of each node, for
// one instrument at a time. It knows nothing of programs, state words or windows that slide.
type reference struct {
	graph       *expr.Graph
	instruments map[uint32]*refInstrument
	clocks      []int64
	remotes     func(n *expr.Node) int // place of a reference among those of the slots
}

type refInstrument struct {
	fields [8]float64
	nodes  map[expr.Ref]*refState
}

// refState is all that has happened to a stateful node since it was last reset.
type refState struct {
	plain   []plainStep // of operators with a rule of their own
	ticks   []int64
	stepped []float64 // x of every step
	pushes  []refPush // what entered its window
	quote   [4]float64
	hasLast bool
	side    float64
	ema     float64
	emaN    int64
}

type refPush struct {
	timeNs int64
	x      float64
}

type refValue struct {
	number          float64
	isTrue, isFalse bool
	fresh           bool
}

func newReference(g *expr.Graph) *reference {
	return &reference{graph: g, instruments: map[uint32]*refInstrument{}}
}

func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

func isDefined(x float64) bool { return !math.IsNaN(x) }

// tick evaluates every node on one tick.
func (r *reference) tick(s slot) []refValue {
	in := r.instruments[s.instrument]
	if in == nil {
		in = &refInstrument{nodes: map[expr.Ref]*refState{}}
		for i := range in.fields {
			in.fields[i] = math.NaN()
		}
		r.instruments[s.instrument] = in
	}
	in.receive(s)
	values := make([]refValue, len(r.graph.Nodes))
	for ref := range r.graph.Nodes {
		n := &r.graph.Nodes[ref]
		args := make([]refValue, len(n.Args))
		for i, arg := range n.Args {
			args[i] = values[arg]
		}
		var v refValue
		switch {
		case n.Op == expr.OpField:
			v = in.field(n.Name, s)
		case n.Op == expr.OpSampled:
			v = args[0]
			v.fresh = s.clocks>>slices.Index(r.clocks, n.PeriodNs)&1 != 0
		case n.Op == expr.OpReference:
			remote := s.refs[r.remotes(n)]
			v = refValue{number: remote.value, fresh: n.Remote.Live && remote.aux&ReferenceFresh != 0}
		case n.Op == expr.OpParam:
			v.number = n.Value
		case n.Op == expr.OpCall && ruleOf(n).value != nil:
			v = in.plain(expr.Ref(ref), ruleOf(n), n, args, r.gapOf(expr.Ref(ref), s))
		case n.Op == expr.OpCall && n.Stateful:
			v = in.stateful(expr.Ref(ref), n, args, r.gapOf(expr.Ref(ref), s))
		default:
			v = refPure(n, args)
		}
		v.number = finite(v.number)
		values[ref] = v
	}
	return values
}

// gapOf is the slot with its gap bit set if something went missing of what the node reads.
func (r *reference) gapOf(ref expr.Ref, s slot) slot {
	own, others, gap := false, false, false
	for below := range reachable(r.graph, ref) {
		switch n := &r.graph.Nodes[below]; n.Op {
		case expr.OpField:
			own = true
		case expr.OpReference:
			others = true
			gap = gap || s.refs[r.remotes(n)].aux&ReferenceGap != 0
		}
	}
	if own || !others {
		gap = gap || s.ctl&program.CtlGap != 0
	}
	s.ctl &^= program.CtlGap
	if gap {
		s.ctl |= program.CtlGap
	}
	return s
}

func (in *refInstrument) receive(s slot) {
	if s.ctl&program.CtlFreshQuote != 0 {
		copy(in.fields[:4], s.f[:])
		if !isDefined(s.f[0]) {
			in.fields[1] = math.NaN()
		}
		if !isDefined(s.f[2]) {
			in.fields[3] = math.NaN()
		}
	}
	if s.ctl&program.CtlFreshTrade != 0 {
		copy(in.fields[4:7], s.f[:3])
	}
}

func (in *refInstrument) field(name string, s slot) refValue {
	bid, bidSize, ask, askSize := in.fields[0], in.fields[1], in.fields[2], in.fields[3]
	v := refValue{fresh: s.ctl&program.CtlFreshQuote != 0}
	switch name {
	case "bid":
		v.number = bid
	case "bid_size":
		v.number = bidSize
	case "ask":
		v.number = ask
	case "ask_size":
		v.number = askSize
	case "mid":
		v.number = (bid + ask) / 2
	case "spread":
		v.number = ask - bid
	case "microprice":
		v.number = (float64(bid*askSize) + float64(ask*bidSize)) / (bidSize + askSize)
	case "price", "size", "aggressor":
		v.fresh = s.ctl&program.CtlFreshTrade != 0
		v.number = in.fields[map[string]int{"price": 4, "size": 5, "aggressor": 6}[name]]
	}
	return v
}

func refPure(n *expr.Node, args []refValue) refValue {
	var v refValue
	for _, a := range args {
		v.fresh = v.fresh || a.fresh
	}
	switch n.Op {
	case expr.OpConst:
		v.number = n.Value
	case expr.OpBool:
		v.isTrue, v.isFalse = n.Value != 0, n.Value == 0
	case expr.OpNeg:
		v.number = -args[0].number
	case expr.OpNot:
		v.isTrue, v.isFalse = args[0].isFalse, args[0].isTrue
	case expr.OpCall:
		v.number = refCall(n.Name, args)
	case expr.OpField:
	default:
		v = refBinary(n.Op, args[0], args[1], v)
	}
	return v
}

func refBinary(op expr.Op, x, y, v refValue) refValue {
	a, b := x.number, y.number
	known := isDefined(a) && isDefined(b)
	switch op {
	case expr.OpAdd:
		v.number = a + b
	case expr.OpSub:
		v.number = a - b
	case expr.OpMul:
		v.number = a * b
	case expr.OpDiv:
		v.number = a / b
	case expr.OpLess:
		v.isTrue, v.isFalse = known && a < b, known && !(a < b)
	case expr.OpLessEqual:
		v.isTrue, v.isFalse = known && a <= b, known && !(a <= b)
	case expr.OpEqual:
		v.isTrue, v.isFalse = known && a == b, known && a != b
	case expr.OpAnd:
		v.isTrue, v.isFalse = x.isTrue && y.isTrue, x.isFalse || y.isFalse
	case expr.OpOr:
		v.isTrue, v.isFalse = x.isTrue || y.isTrue, x.isFalse && y.isFalse
	}
	return v
}

func refCall(name string, args []refValue) float64 {
	switch name {
	case "abs":
		return math.Abs(args[0].number)
	case "sign":
		switch x := args[0].number; {
		case x > 0:
			return 1
		case x < 0:
			return -1
		case x == 0:
			return 0
		}
	case "where":
		switch {
		case args[0].isTrue:
			return args[1].number
		case args[0].isFalse:
			return args[2].number
		}
	case "imbalance":
		return (args[0].number - args[1].number) / (args[0].number + args[1].number)
	}
	return math.NaN()
}

func (in *refInstrument) stateful(ref expr.Ref, n *expr.Node, args []refValue, s slot) refValue {
	st := in.nodes[ref]
	if st == nil {
		st = &refState{}
		in.nodes[ref] = st
	}
	if s.ctl&program.CtlGap != 0 && n.Gap == expr.GapRewarm {
		*st = refState{ema: st.ema, emaN: st.emaN}
	}
	if s.ctl&program.CtlSessionReset != 0 && slices.ContainsFunc(n.Settings, func(w expr.Setting) bool { return w.Session }) {
		st.stepped, st.pushes = nil, nil
	}
	step, whole := false, true
	for _, a := range args {
		step = step || a.fresh
		whole = whole && isDefined(a.number)
	}
	step = step && whole
	v := refValue{fresh: step}
	switch n.Name {
	case "crosses":
		v.isTrue, v.isFalse = st.cross(args[0].number, args[1].number, step)
	case "ofi":
		if step {
			st.order(args, s.timeNs)
		}
		v.number = st.sum(n.Settings[0], s.timeNs)
	case "ema":
		v.number = st.average(args[0].number, n.Settings[0].Count, step)
	default:
		if step {
			st.stepped = append(st.stepped, args[0].number)
			st.pushes = append(st.pushes, refPush{s.timeNs, args[0].number})
		}
		v.number = st.statistic(n, s.timeNs)
	}
	return v
}

func (st *refState) cross(x, level float64, step bool) (isTrue, isFalse bool) {
	known := st.side != 0
	if step && x != level {
		side := 1.0
		if x < level {
			side = -1
		}
		isTrue = known && side != st.side
		st.side = side
	}
	return isTrue, known && !isTrue
}

func (st *refState) order(args []refValue, timeNs int64) {
	q := [4]float64{args[0].number, args[1].number, args[2].number, args[3].number}
	if st.hasLast {
		e := 0.0
		if q[0] >= st.quote[0] {
			e += q[1]
		}
		if q[0] <= st.quote[0] {
			e -= st.quote[1]
		}
		if q[2] <= st.quote[2] {
			e -= q[3]
		}
		if q[2] >= st.quote[2] {
			e += st.quote[3]
		}
		st.pushes = append(st.pushes, refPush{timeNs, e})
	}
	st.quote, st.hasLast = q, true
}

func (st *refState) average(x float64, n int64, step bool) float64 {
	if step {
		if st.emaN < n {
			st.emaN++
			st.ema += x
			if st.emaN == n {
				st.ema /= float64(n)
			}
		} else {
			st.ema += float64(2 / float64(n+1) * (x - st.ema))
		}
	}
	if st.emaN < n {
		return math.NaN()
	}
	return st.ema
}

// contents is what a window holds, and whether it is warm.
func (st *refState) contents(w expr.Setting, timeNs int64) (xs []float64, warm bool) {
	if w.Session {
		for _, p := range st.pushes {
			xs = append(xs, p.x)
		}
		return xs, len(xs) > 0
	}
	if w.DurationNs == 0 {
		from := max(len(st.pushes)-int(w.Count), 0)
		for _, p := range st.pushes[from:] {
			xs = append(xs, p.x)
		}
		return xs, len(xs) == int(w.Count)
	}
	const sub = program.DefaultWindowSub
	step := (w.DurationNs + sub - 1) / sub
	now := timeNs / step
	for _, p := range st.pushes {
		if p.timeNs/step > now-sub {
			xs = append(xs, p.x)
		}
	}
	return xs, len(st.pushes) > 0 && now-st.pushes[0].timeNs/step >= sub
}

func (st *refState) sum(w expr.Setting, timeNs int64) float64 {
	xs, warm := st.contents(w, timeNs)
	if !warm {
		return math.NaN()
	}
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

func (st *refState) statistic(n *expr.Node, timeNs int64) float64 {
	w := n.Settings[0]
	newest := len(st.stepped) - 1
	switch n.Name {
	case "prev", "diff":
		at := newest - int(w.Count)
		if at < 0 {
			return math.NaN()
		}
		if n.Name == "prev" {
			return st.stepped[at]
		}
		return st.stepped[newest] - st.stepped[at]
	}
	xs, warm := st.contents(w, timeNs)
	if !warm || len(xs) == 0 {
		return math.NaN()
	}
	if n.Name == "sma" {
		return st.sum(w, timeNs) / float64(len(xs))
	}
	// Deviations from the newest sample keep the digits that a mean of large numbers loses.
	x := st.stepped[newest]
	mean, squares := 0.0, 0.0
	for _, v := range xs {
		mean += (v - x) / float64(len(xs))
	}
	for _, v := range xs {
		squares += (v - x - mean) * (v - x - mean)
	}
	switch {
	case n.Name == "std":
		return math.Sqrt(squares / float64(len(xs)-int(n.Settings[1].Count)))
	case flat(xs):
		return math.NaN()
	}
	return -mean / math.Sqrt(squares/float64(len(xs)))
}

func flat(xs []float64) bool {
	for _, x := range xs {
		if x != xs[0] {
			return false
		}
	}
	return true
}
