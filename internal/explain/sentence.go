package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
)

// reads are the ticks that can update a node.
type reads struct {
	quote, trade bool
	remote       []expr.Instrument
	clockNs      int64
}

// readsOf says of every node which ticks can update it.
func readsOf(p *kernels.Probe) []reads {
	out := make([]reads, len(p.Graph.Nodes))
	for ref := range p.Graph.Nodes {
		n, r := &p.Graph.Nodes[ref], &out[ref]
		switch n.Op {
		case expr.OpSampled:
			r.clockNs = n.PeriodNs
			continue
		case expr.OpReference:
			if n.Remote.Live {
				r.remote = append(r.remote, n.Remote.Instrument)
			}
		case expr.OpField:
			source := p.Catalogue.Field(n.Name).Source
			r.quote, r.trade = source == kernels.FromQuote, source == kernels.FromTrade
		}
		for _, arg := range n.Args {
			a := &out[arg]
			r.quote, r.trade = r.quote || a.quote, r.trade || a.trade
			r.clockNs = max(r.clockNs, a.clockNs)
			for _, i := range a.remote {
				if !slices.Contains(r.remote, i) {
					r.remote = append(r.remote, i)
				}
			}
		}
	}
	return out
}

// String lists them.
func (r reads) String() string {
	var out []string
	if r.quote {
		out = append(out, "quotes")
	}
	if r.trade {
		out = append(out, "trades")
	}
	for _, i := range r.remote {
		out = append(out, "ticks of "+i.Venue+" "+i.Symbol)
	}
	if r.clockNs > 0 {
		out = append(out, "clock of "+durationText(r.clockNs))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// evaluated says in one sentence which ticks evaluate a signal.
func (g *graph) evaluated(i int) string {
	s, probed := &g.probe.Compiled.Signals[i], &g.probe.Signals[i]
	r := g.reads[probed.Value]
	if s.Clock >= 0 {
		period := durationText(g.probe.Compiled.Clocks[s.Clock])
		return fmt.Sprintf("At every boundary of %s of engine time and on no tick; in between, %s go on updating what value is made of.", period, r)
	}
	var ticks []string
	if probed.Self {
		if r.quote {
			ticks = append(ticks, "quote")
		}
		if r.trade {
			ticks = append(ticks, "trade")
		}
	}
	var from []string
	if len(ticks) > 0 {
		from = append(from, "every "+strings.Join(ticks, " and every ")+" of its own instrument")
	}
	for _, k := range s.OnReferences {
		ref := &g.probe.Compiled.References[k]
		text := fmt.Sprintf("every tick of %s %s that updates %s", ref.Venue, ref.Symbol, ref.Text)
		if !slices.Contains(from, text) {
			from = append(from, text)
		}
	}
	if len(from) == 0 {
		return "Never: nothing makes its value fresh."
	}
	text := "On " + strings.Join(from, ", and on ") + ", where it makes value fresh"
	if probed.Self && (r.quote || r.trade) {
		text += "; inside an event of several ticks only the last counts"
	}
	if quiet := g.quiet(probed, r); quiet != "" {
		text += "; " + quiet
	}
	return text + "."
}

// quiet says which ticks change what a signal asks without evaluating it.
func (g *graph) quiet(s *kernels.ProbedSignal, value reads) string {
	var all reads
	for _, p := range parts(s) {
		all.quote, all.trade = all.quote || g.reads[p.ref].quote, all.trade || g.reads[p.ref].trade
	}
	switch {
	case all.quote && !value.quote:
		return "quotes change what its other texts see and do not evaluate it"
	case all.trade && !value.trade:
		return "trades change what its other texts see and do not evaluate it"
	}
	return ""
}
