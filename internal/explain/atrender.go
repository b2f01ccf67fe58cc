package explain

import (
	"fmt"
	"strings"
	"time"
)

// String writes the answer for people.
func (a *Answer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tick %d: %s", a.Seq, a.Tick.Kind)
	if a.Tick.Instrument != "" {
		fmt.Fprintf(&b, " of %s", a.Tick.Instrument)
	}
	fmt.Fprintf(&b, ", source %d, received %s\n", a.Tick.Source, timeText(a.Tick.ReceiveNs))
	switch a.Tick.Kind {
	case "quote":
		fmt.Fprintf(&b, "  bid %s x %s, ask %s x %s\n", a.Tick.Values[0], a.Tick.Values[1], a.Tick.Values[2], a.Tick.Values[3])
	case "trade":
		fmt.Fprintf(&b, "  price %s, size %s, aggressor %s\n", a.Tick.Values[0], a.Tick.Values[1], a.Tick.Values[2])
	}
	for i := range a.Evaluations {
		a.Evaluations[i].write(&b, a.Instrument)
	}
	for _, record := range a.Withdrawn {
		fmt.Fprintf(&b, "withdrawn   %s\n", record)
	}
	if len(a.Others) > 0 {
		fmt.Fprintf(&b, "also computed on %s; --instrument shows one\n", shortList(a.Others))
	}
	return b.String()
}

func timeText(ns int64) string {
	return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z")
}

const othersShown = 8

func shortList(names []string) string {
	if len(names) <= othersShown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:othersShown], ", "), len(names)-othersShown)
}

func (e *Evaluation) write(b *strings.Builder, instrument string) {
	fmt.Fprintf(b, "computed on %s because of %s, at engine time %s\n", instrument, e.Cause, timeText(e.EngineNs))
	if e.Gap {
		b.WriteString("  data went missing before it\n")
	}
	byID := map[int]*NodeState{}
	for i := range e.Nodes {
		byID[e.Nodes[i].ID] = &e.Nodes[i]
	}
	drawn := map[int]bool{}
	for i := range e.Signals {
		s := &e.Signals[i]
		fmt.Fprintf(b, "\nsignal %s\n  %s\n", s.Name, s.Outcome)
		for _, p := range s.Parts {
			fmt.Fprintf(b, "  %-9s %s\n", p.Name, p.Text)
			drawState(b, byID, drawn, p.Node, 1)
		}
		b.WriteString("  gates\n")
		drawGates(b, s.Gates)
		if s.Decided != nil {
			fmt.Fprintf(b, "  record    %s\n", s.Decided)
		}
	}
}

// drawState draws nodes under each other with their values; each once, then by its id.
func drawState(b *strings.Builder, byID map[int]*NodeState, drawn map[int]bool, id, depth int) {
	n := byID[id]
	if n == nil || len(n.Args) == 0 && n.Kind == "number" && n.Form == n.Value.String() {
		return // a constant
	}
	fmt.Fprintf(b, "%s#%d %s = ", strings.Repeat("  ", depth+1), id, n.Form)
	if n.Value != nil {
		b.WriteString(n.Value.String())
	} else {
		b.WriteString(n.State)
	}
	if n.Fresh {
		b.WriteString(", fresh")
	}
	if n.Missing != "" {
		b.WriteString(" (" + n.Missing + ")")
	}
	if drawn[id] && len(n.Args) > 0 {
		b.WriteString(", see above\n")
		return
	}
	drawn[id] = true
	b.WriteByte('\n')
	for _, arg := range n.Args {
		drawState(b, byID, drawn, arg, depth+1)
	}
}
