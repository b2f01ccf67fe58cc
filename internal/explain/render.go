package explain

import (
	"fmt"
	"strings"
)

// String writes the report for people.
func (r *Report) String() string {
	var b strings.Builder
	byID := map[int]*Node{}
	for i := range r.Nodes {
		byID[r.Nodes[i].ID] = &r.Nodes[i]
	}
	for i := range r.Signals {
		s := &r.Signals[i]
		fmt.Fprintf(&b, "signal %s, for %s\n", s.Name, strings.Join(s.For, ", "))
		fmt.Fprintf(&b, "  evaluated   %s\n  warm-up     %s\n", s.Evaluated, s.WarmUp)
		if s.Limits != "" {
			fmt.Fprintf(&b, "  limits      %s\n", s.Limits)
		}
		fmt.Fprintf(&b, "  on gap      %s\n", map[string]string{
			"rewarm": "windows start afresh; nothing is published until they are warm", "hold": "windows keep what they have",
		}[s.OnGap])
		fmt.Fprintf(&b, "  own cost    %s\n", s.Cost)
		t := tree{b: &b, byID: byID, drawn: map[int]bool{}}
		for _, p := range s.Parts {
			fmt.Fprintf(&b, "  %-11s %s\n", p.Name, p.Text)
			t.draw(p.Node, 1)
		}
		b.WriteByte('\n')
	}
	r.operators(&b)
	r.totals(&b)
	if r.Listing != "" {
		b.WriteString("\nlisting\n")
		b.WriteString(r.Listing)
	}
	return b.String()
}

// String writes instructions by part and state.
func (c Cost) String() string {
	return fmt.Sprintf("%d instructions (%d before, %d recur, %d after), %d state bytes an instrument",
		c.Before+c.Recur+c.After, c.Before, c.Recur, c.After, c.StateBytes)
}

// tree draws nodes under each other; each once, then by its id.
type tree struct {
	b     *strings.Builder
	byID  map[int]*Node
	drawn map[int]bool
}

func (t *tree) draw(id, depth int) {
	n := t.byID[id]
	if len(n.Args) == 0 && n.Name == "constant" {
		return
	}
	indent := strings.Repeat("  ", depth+1)
	if t.drawn[id] {
		fmt.Fprintf(t.b, "%s#%d as above\n", indent, id)
		return
	}
	t.drawn[id] = true
	fmt.Fprintf(t.b, "%s#%d %s", indent, id, n.Form)
	notes := []string{n.Kind, "on " + n.Reads}
	if n.WarmUp != "" {
		notes = append(notes, "defined "+n.WarmUp)
	}
	if n.Uses > 1 {
		notes = append(notes, fmt.Sprintf("shared by %d", n.Uses))
	}
	fmt.Fprintf(t.b, "   [%s]", strings.Join(notes, "; "))
	if n.Doc != "" {
		fmt.Fprintf(t.b, " %s", n.Doc)
	}
	t.b.WriteByte('\n')
	for _, arg := range n.Args {
		t.draw(arg, depth+1)
	}
}

func (r *Report) operators(b *strings.Builder) {
	if len(r.Operators) == 0 {
		return
	}
	b.WriteString("operators\n")
	for i := range r.Operators {
		o := &r.Operators[i]
		fmt.Fprintf(b, "  %s: %s\n", o.Usage, o.Summary)
		for _, line := range [][2]string{{"is", o.Formula}, {"convention", o.Convention}, {"warm-up", o.WarmUp}, {"source", o.Source}} {
			if line[1] != "-" && line[1] != "" {
				fmt.Fprintf(b, "    %-10s  %s\n", line[0], line[1])
			}
		}
	}
	b.WriteByte('\n')
}

func (r *Report) totals(b *strings.Builder) {
	for _, c := range r.Clocks {
		fmt.Fprintf(b, "clock       %s of engine time, for %s\n", c.Period, strings.Join(c.Signals, ", "))
	}
	for i := range r.References {
		ref := &r.References[i]
		fmt.Fprintf(b, "reference   %s %s: %s, read by %s", ref.Venue, ref.Symbol, ref.Text, strings.Join(ref.Readers, ", "))
		if len(ref.Wakes) > 0 {
			fmt.Fprintf(b, "; its ticks evaluate %s on up to %d instruments", strings.Join(ref.Wakes, ", "), ref.FanOut)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "program     %s\n", r.Program)
	if r.Remote != nil {
		fmt.Fprintf(b, "references  %s\n", r.Remote)
	}
}
