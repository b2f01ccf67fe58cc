package expr

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// GapPolicy is what state does when data is missing.
type GapPolicy uint8

// The gap policies. Rewarm empties windows and forgets previous values; Hold keeps them.
const (
	GapRewarm GapPolicy = iota
	GapHold
)

// String returns the policy as configurations write it.
func (p GapPolicy) String() string {
	if p == GapHold {
		return "hold"
	}
	return "rewarm"
}

// Op is what a node does.
type Op uint8

// The node operations. > and >= are written as < and <= with operands swapped, != as not ==.
const (
	OpConst Op = iota // Value
	OpBool            // Value 1 or 0
	OpField           // Name
	OpCall            // Name, Settings, and Gap if stateful
	OpNeg
	OpNot
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpLess
	OpLessEqual
	OpEqual
	OpAnd
	OpOr
	OpParam     // Name is signal.parameter, Value its default: a state word, never fresh
	OpSampled   // its argument's value, fresh exactly at the boundaries of the clock of PeriodNs
	OpReference // Remote: the value of an expression over another instrument
)

var opText = [...]string{
	OpConst: "const", OpBool: "bool", OpField: "field", OpCall: "call", OpNeg: "-", OpNot: "not ",
	OpAdd: "+", OpSub: "-", OpMul: "*", OpDiv: "/", OpLess: "<", OpLessEqual: "<=", OpEqual: "==",
	OpAnd: "and", OpOr: "or", OpParam: "param", OpSampled: "sampled", OpReference: "of",
}

// Ref is a node's place in Graph.Nodes.
type Ref int32

// None is the Ref of no node. Broken stands in an Env for a value whose own text has mistakes: using it is not a
// second mistake.
const (
	None   Ref = -1
	Broken Ref = -2
)

// Node is one checked operation. Hash names the whole expression below it, gap policies included, and is the
// same in every process: state is keyed by it.
type Node struct {
	Op       Op
	Kind     Kind
	Name     string
	Args     []Ref
	Value    float64
	Settings []Setting
	Stateful bool
	Gap      GapPolicy
	Varies   bool // what does not never becomes fresh
	PeriodNs int64
	Remote   Remote
	Hash     [32]byte
}

// Remote is an expression over the ticks of another instrument.
type Remote struct {
	Instrument Instrument
	Ref        Ref  // in Graph.Remote
	Live       bool // its ticks evaluate the signal: it is fresh where they update it; else it never is
}

// Instrument is a venue and a symbol in the venue's own spelling.
type Instrument struct{ Venue, Symbol string }

// String writes the instrument as an expression does.
func (i Instrument) String() string { return `ref("` + i.Venue + `", "` + i.Symbol + `")` }

// Graph holds interned nodes; arguments come before the nodes that use them. Expressions over other instruments are
// in a graph of their own, whose fields are those of whichever instrument it is; that graph has no Remote.
type Graph struct {
	Nodes  []Node
	Remote *Graph
	index  map[[32]byte]Ref
}

// NewGraph returns an empty graph.
func NewGraph() *Graph {
	return &Graph{index: map[[32]byte]Ref{}, Remote: &Graph{index: map[[32]byte]Ref{}}}
}

// intern returns the node equal to n, adding it if there is none.
func (g *Graph) intern(n Node) Ref {
	n.Varies = n.Op == OpField || n.Op == OpSampled || n.Op == OpReference && n.Remote.Live
	for _, arg := range n.Args {
		n.Varies = n.Varies || g.Nodes[arg].Varies
	}
	n.Hash = g.hash(&n)
	if ref, ok := g.index[n.Hash]; ok {
		return ref
	}
	ref := Ref(len(g.Nodes))
	g.Nodes = append(g.Nodes, n)
	g.index[n.Hash] = ref
	return ref
}

// hashDomain separates these hashes from any others; it changes if the meaning of the language does.
const hashDomain = "sigengine expr 1"

func (g *Graph) hash(n *Node) [32]byte {
	b := append([]byte(nil), hashDomain...)
	b = append(b, byte(len(opText[n.Op])))
	b = append(b, opText[n.Op]...)
	b = append(b, byte(n.Kind), byte(len(n.Name)))
	b = append(b, n.Name...)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(n.Value))
	b = append(b, byte(len(n.Settings)))
	for _, s := range n.Settings {
		for _, word := range s.words() {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
	}
	if n.Stateful {
		b = append(b, 1, byte(n.Gap))
	}
	switch n.Op {
	case OpSampled:
		b = binary.LittleEndian.AppendUint64(b, uint64(n.PeriodNs))
	case OpReference:
		b = appendText(appendText(b, n.Remote.Instrument.Venue), n.Remote.Instrument.Symbol)
		b = strconv.AppendBool(b, n.Remote.Live)
		b = append(b, g.Remote.Nodes[n.Remote.Ref].Hash[:]...)
	}
	for _, arg := range n.Args {
		b = append(b, g.Nodes[arg].Hash[:]...)
	}
	return sha256.Sum256(b)
}

// appendText appends a text and its length before it.
func appendText(b []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
}

// constant returns the value of a constant number.
func (g *Graph) constant(ref Ref) (float64, bool) {
	n := &g.Nodes[ref]
	return n.Value, n.Op == OpConst
}

// textLimit bounds canonical text, which sharing could otherwise make exponentially long.
const textLimit = 4096

// Text writes the canonical text of a node: every parenthesis, every setting, gap policies other than rewarm
// after an @, sampled(clock, x) for what a clock reads, of@on for references whose ticks count. Equal text (below 4 KiB, where it ends in …) means an equal node.
func (g *Graph) Text(ref Ref) string {
	var b strings.Builder
	g.text(&b, ref)
	if b.Len() > textLimit {
		return b.String()[:textLimit] + "…"
	}
	return b.String()
}

func (g *Graph) text(b *strings.Builder, ref Ref) {
	if b.Len() > textLimit {
		return
	}
	n := &g.Nodes[ref]
	switch n.Op {
	case OpConst:
		b.WriteString(numberText(n.Value))
	case OpBool:
		b.WriteString(strconv.FormatBool(n.Value != 0))
	case OpField, OpParam:
		b.WriteString(n.Name)
	case OpSampled:
		b.WriteString("sampled(" + durationText(n.PeriodNs) + ", ")
		g.text(b, n.Args[0])
		b.WriteByte(')')
	case OpReference:
		b.WriteString("of")
		if n.Remote.Live {
			b.WriteString("@on")
		}
		b.WriteString("(" + n.Remote.Instrument.String() + ", ")
		g.Remote.text(b, n.Remote.Ref)
		b.WriteByte(')')
	case OpNeg, OpNot:
		b.WriteString("(" + opText[n.Op])
		g.text(b, n.Args[0])
		b.WriteByte(')')
	case OpCall:
		g.callText(b, n)
	default:
		b.WriteByte('(')
		g.text(b, n.Args[0])
		b.WriteString(" " + opText[n.Op] + " ")
		g.text(b, n.Args[1])
		b.WriteByte(')')
	}
}

func (g *Graph) callText(b *strings.Builder, n *Node) {
	b.WriteString(n.Name)
	if n.Stateful && n.Gap != GapRewarm {
		fmt.Fprintf(b, "@%s", n.Gap)
	}
	b.WriteByte('(')
	for i, arg := range n.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		g.text(b, arg)
	}
	for i, s := range n.Settings {
		if i > 0 || len(n.Args) > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.String())
	}
	b.WriteByte(')')
}
