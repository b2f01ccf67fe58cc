package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/replay"
	"github.com/sigengine/sigengine/risk"
)

// gateReport is what check --journal --json says of one gate and signal.
type gateReport struct {
	Gate    string      `json:"gate"`
	Signal  string      `json:"signal"`
	Refuses uint64      `json:"refuses"` // whether or not another gate refuses first
	Reason  uint64      `json:"reason"`  // those of which it is the first to refuse
	First   gateExample `json:"first"`
	Last    gateExample `json:"last"`
}

// gateExample is one refused enter or update.
type gateExample struct {
	Run        uint64   `json:"run"`
	Sequence   string   `json:"seq"`
	EngineNs   string   `json:"engine_ns"`
	Instrument string   `json:"instrument"`
	Action     string   `json:"action"`
	Value      *float64 `json:"value"`
	Bid        *float64 `json:"bid"`
	Ask        *float64 `json:"ask"`
}

// gatesReport is what check --journal --json prints.
type gatesReport struct {
	Journal string       `json:"journal"`
	Config  string       `json:"config,omitempty"` // empty: the journal's own
	Ticks   uint64       `json:"ticks"`
	Passed  uint64       `json:"passed"` // enters and updates
	Refused uint64       `json:"refused"`
	Gates   []gateReport `json:"gates"`
	Silent  []string     `json:"silent"` // asked, and refused nothing
	Off     []string     `json:"off"`
}

// checkGates runs every gate over a journal.
func (a *app) checkGates(ctx context.Context, o checkOptions) error {
	store, dir, err := openJournal(o.journal)
	if err != nil {
		return err
	}
	var options replay.Options
	if o.config != "" {
		if options.Config, err = config.Load(o.config); err != nil {
			return asUsage(err)
		}
	}
	options.Cancelled = func() error {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return nil
	}
	found, err := replay.PlayRefusals(store, options)
	if err != nil {
		return asReplayFailure(err)
	}
	report := reportGates(&found)
	report.Journal, report.Config = dir, o.config
	if o.asJSON {
		return a.printJSON(&report)
	}
	_, err = fmt.Fprint(a.out, report.text())
	return err
}

func reportGates(found *replay.Refusals) gatesReport {
	r := gatesReport{Ticks: found.Result.Ticks, Passed: found.Passed, Gates: []gateReport{}, Silent: []string{}, Off: []string{}}
	for _, x := range found.Refused {
		r.Refused += x.Reason
		r.Gates = append(r.Gates, gateReport{
			Gate: x.Gate.String(), Signal: x.Signal, Refuses: x.Count, Reason: x.Reason, First: exampleOf(&x.First), Last: exampleOf(&x.Last),
		})
	}
	for _, gate := range found.Asked {
		if !slices.ContainsFunc(found.Refused, func(x replay.Refused) bool { return x.Gate == gate }) {
			r.Silent = append(r.Silent, gate.String())
		}
	}
	for _, gate := range found.Off {
		r.Off = append(r.Off, risk.Gate.String(gate))
	}
	return r
}

func exampleOf(x *replay.RefusedAt) gateExample {
	number := func(v float64) *float64 {
		if v-v != 0 {
			return nil
		}
		return &v
	}
	return gateExample{
		Run: x.Run, Sequence: strconv.FormatUint(x.Sequence, 10), EngineNs: strconv.FormatInt(x.EngineNs, 10),
		Instrument: x.Symbol.Venue + "." + x.Symbol.Name, Action: x.Action.String(), Value: number(x.Value), Bid: number(x.Bid), Ask: number(x.Ask),
	}
}

func (r *gatesReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ticks %d, enters and updates that pass %d, refused %d\n", r.Journal, r.Ticks, r.Passed, r.Refused)
	if len(r.Gates) > 0 {
		b.WriteString("\ngate       signal                refuses     reason\n")
	}
	for _, g := range r.Gates {
		fmt.Fprintf(&b, "%-10s %-18s %10d %10d\n", g.Gate, g.Signal, g.Refuses, g.Reason)
		fmt.Fprintf(&b, "           first  %s\n", g.First.text())
		if g.Refuses > 1 {
			fmt.Fprintf(&b, "           last   %s\n", g.Last.text())
		}
	}
	if len(r.Silent) > 0 {
		fmt.Fprintf(&b, "\nrefused nothing: %s\n", strings.Join(r.Silent, ", "))
	}
	if len(r.Off) > 0 {
		fmt.Fprintf(&b, "off: %s\n", strings.Join(r.Off, ", "))
	}
	return b.String()
}

func (e *gateExample) text() string {
	number := func(v *float64) string {
		if v == nil {
			return "undefined"
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	ns, _ := strconv.ParseInt(e.EngineNs, 10, 64) // our own
	return fmt.Sprintf("tick %s of %s at %s: %s, value %s, bid %s, ask %s", e.Sequence, e.Instrument,
		time.Unix(0, ns).UTC().Format(time.RFC3339Nano), e.Action, number(e.Value), number(e.Bid), number(e.Ask))
}
