package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/expr"
)

// Report is how the signals of a configuration are computed.
type Report struct {
	Signals    []Signal    `json:"signals"`
	Nodes      []Node      `json:"nodes"` // shared by all signals, arguments before what uses them
	Operators  []Operator  `json:"operators"`
	Program    Cost        `json:"program"`
	Remote     *Cost       `json:"reference_program,omitempty"`
	Clocks     []Clock     `json:"clocks,omitempty"`
	References []Reference `json:"references,omitempty"`
	Listing    string      `json:"listing,omitempty"`
}

// Signal is one signal.
type Signal struct {
	Name      string   `json:"name"`
	For       []string `json:"for"`
	Parts     []Part   `json:"parts"`
	Evaluated string   `json:"evaluated"` // when, in one sentence
	WarmUp    string   `json:"warm_up"`   // of its value, in one sentence
	OnGap     string   `json:"on_gap"`
	Limits    string   `json:"limits,omitempty"` // throttle, expires, horizon
	Cost      Cost     `json:"cost"`             // what the program would save without it
}

// Part is one text of a signal.
type Part struct {
	Name string `json:"name"` // value, when, exit, side, strength
	Text string `json:"text"` // canonical
	Node int    `json:"node"` // id
}

// Node is one operation of the graph. Its id is its place among all nodes of the graph.
type Node struct {
	ID     int    `json:"id"`
	Text   string `json:"text"`     // canonical, whole
	Form   string `json:"form"`     // with the ids of its arguments
	Kind   string `json:"kind"`     // number or condition
	Name   string `json:"operator"` // operator, field, or sign
	Doc    string `json:"doc,omitempty"`
	Args   []int  `json:"args,omitempty"`
	Window string `json:"window,omitempty"` // settings, as written
	State  bool   `json:"state"`
	Reads  string `json:"reads"`             // ticks that can update it
	WarmUp string `json:"warm_up,omitempty"` // measured, if it has state
	Uses   int    `json:"uses"`              // nodes and parts that read it
}

// Operator is what the catalogue says of an operator that is used.
type Operator struct {
	Name       string `json:"name"`
	Usage      string `json:"usage"`
	Summary    string `json:"summary"`
	Formula    string `json:"formula"`
	Source     string `json:"source"`
	Convention string `json:"convention"`
	WarmUp     string `json:"warm_up"`
}

// Cost is instructions by part and state an instrument.
type Cost struct {
	Before     int `json:"before"`
	Recur      int `json:"recur"`
	After      int `json:"after"`
	StateBytes int `json:"state_bytes"`
}

func costOf(c kernels.Cost) Cost {
	return Cost{Before: c.Before, Recur: c.Recur, After: c.After, StateBytes: 8 * c.StateWords}
}

// Clock is a period at whose boundaries signals are evaluated.
type Clock struct {
	Period  string   `json:"period"`
	Signals []string `json:"signals"`
}

// Reference is an expression over another instrument.
type Reference struct {
	Venue   string   `json:"venue"`
	Symbol  string   `json:"symbol"`
	Text    string   `json:"text"`
	Readers []string `json:"readers"`           // signals that depend on it
	Wakes   []string `json:"wakes,omitempty"`   // signals that its ticks evaluate
	FanOut  int      `json:"fan_out,omitempty"` // most instruments evaluated because of one of its ticks
}

// Static explains the signals of a configuration, all or those named. listing adds the program's text.
func Static(c *config.Config, names []string, listing bool) (*Report, error) {
	specs, options := c.Specs(), c.Options()
	if _, err := c.Compile(); err != nil {
		return nil, err
	}
	probe, mistakes := kernels.CompileProbe(specs, options, 0)
	if len(mistakes) > 0 {
		return nil, fmt.Errorf("explain: %w", &mistakes[0])
	}
	plain, mistakes := kernels.Compile(specs, options)
	if len(mistakes) > 0 {
		return nil, fmt.Errorf("explain: %w", &mistakes[0])
	}
	costs, err := kernels.MarginalCosts(specs, options)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	g := newGraph(probe)
	if err := g.measure(specs, options); err != nil {
		return nil, err
	}
	out := &Report{Program: costOf(kernels.CostOf(plain.Program))}
	if plain.ReferenceProgram != nil {
		cost := costOf(kernels.CostOf(plain.ReferenceProgram))
		out.Remote = &cost
	}
	chosen, err := choose(c, names)
	if err != nil {
		return nil, err
	}
	var roots []expr.Ref
	for _, i := range chosen {
		s := g.signal(c, i)
		s.Cost = costOf(costs[i])
		out.Signals = append(out.Signals, s)
		for _, p := range s.Parts {
			roots = append(roots, expr.Ref(p.Node))
		}
	}
	out.Nodes, out.Operators = g.nodes(roots)
	out.Clocks, out.References = clocks(plain), references(plain)
	if listing {
		out.Listing = plain.Program.String()
	}
	return out, nil
}

// choose returns the places of the signals named, of all without names.
func choose(c *config.Config, names []string) ([]int, error) {
	var chosen []int
	var known []string
	for i := range c.Signals {
		known = append(known, c.Signals[i].Name)
		if len(names) == 0 {
			chosen = append(chosen, i)
		}
	}
	for _, name := range names {
		found := false
		for i := range known {
			if known[i] == name {
				chosen, found = append(chosen, i), true
			}
		}
		if !found {
			return nil, &UnknownError{What: "signal", Name: name, Known: known}
		}
	}
	return chosen, nil
}

func clocks(c *kernels.Compiled) []Clock {
	var out []Clock
	for k, ns := range c.Clocks {
		clock := Clock{Period: durationText(ns)}
		for i := range c.Signals {
			if c.Signals[i].Clock == k {
				clock.Signals = append(clock.Signals, c.Signals[i].Name)
			}
		}
		out = append(out, clock)
	}
	return out
}

func references(c *kernels.Compiled) []Reference {
	var out []Reference
	for k := range c.References {
		r := &c.References[k]
		ref := Reference{Venue: r.Venue, Symbol: r.Symbol, Text: r.Text}
		for i := range c.Signals {
			s := &c.Signals[i]
			if slices.Contains(s.References, k) {
				ref.Readers = append(ref.Readers, s.Name)
			}
			if slices.Contains(s.OnReferences, k) {
				ref.Wakes = append(ref.Wakes, s.Name)
			}
		}
		if len(ref.Wakes) > 0 {
			ref.FanOut = engine.FanOutDefault
		}
		out = append(out, ref)
	}
	return out
}

// durationText writes a duration as configurations do, without parts that are zero.
func durationText(ns int64) string {
	text := time.Duration(ns).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
