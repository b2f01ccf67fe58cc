package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sigengine/sigengine/internal/control"
	"github.com/sigengine/sigengine/risk"
)

// controlPrint decodes an answer and prints it, as it came or for people.
func controlPrint[T any](a *app, o *controlOptions, text []byte, show func(*T) string) error {
	var answer T
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("an answer cannot be read: %w; is it an engine of another version?", err)
	}
	shown := show(&answer)
	if o.asJSON {
		shown = string(text) + "\n"
	}
	_, err := fmt.Fprint(a.out, shown)
	return err
}

func printStatus(s *control.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  partition %s, instance %s\n", s.State, s.Partition, s.Instance)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("build", "%s", s.Build)
	line("config", "generation %d, hash %.12s", s.Generation, s.ConfigHash)
	line("up", "%v", time.Duration(s.UptimeS*float64(time.Second)).Round(time.Second))
	executor := s.Executor
	if s.GPU != nil {
		executor = s.GPU.String()
	}
	line("executor", "%s, %d lanes, %s", executor, s.Lanes, s.Mode)
	line("ticks", "%d of %d instruments, sequence %d, %d dropped, %d gaps, %d malformed", s.Ticks, s.Instruments, s.Sequence, s.Dropped, s.Gaps, s.Malformed)
	line("signals", "%d, %d suppressed, %d not published", s.Signals, s.Suppressed, s.PublishErrors)
	line("refused", "%s", refusals(s.Rejected))
	line("in force", "%s", inForce(&s.InForce, s.ConfigKills, s.Facts))
	line("connected", "market data %v, signals %v", s.Input, s.Output)
	if s.Journal != "" {
		line("journal", "%s, %d ticks written", s.Journal, s.Journaled)
	}
	return b.String()
}

func refusals(byGate map[string]uint64) string {
	var parts []string
	for gate, n := range byGate { // order-free: sorted below
		parts = append(parts, fmt.Sprintf("%s %d", gate, n))
	}
	slices.Sort(parts)
	return orNothing(parts)
}

func orNothing(parts []string) string {
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// inForce tells what stops signals.
func inForce(l *risk.Latches, configKills, facts []string) string {
	var parts []string
	for _, flag := range []struct {
		on   bool
		text string
	}{{l.KillAll, "kill all"}, {l.ReduceAll, "reduce all"}, {l.Stopped, "too much was lost"}} {
		if flag.on {
			parts = append(parts, flag.text)
		}
	}
	for _, name := range l.KillSignals {
		parts = append(parts, "kill signal:"+name)
	}
	for _, name := range l.ReduceSignals {
		parts = append(parts, "reduce signal:"+name)
	}
	for _, s := range l.Killed {
		parts = append(parts, "kill instrument:"+s.Venue+"."+s.Name)
	}
	for _, s := range l.Reduced {
		parts = append(parts, "reduce instrument:"+s.Venue+"."+s.Name)
	}
	for _, p := range l.Pairs {
		parts = append(parts, "too many entries of "+p.Signal+" on "+p.Symbol.Venue+"."+p.Symbol.Name)
	}
	for _, t := range l.Tightened {
		parts = append(parts, fmt.Sprintf("%s tightened to %v", t.Limit, t.Value))
	}
	for _, k := range configKills {
		parts = append(parts, "kill "+k+" by configuration")
	}
	for _, f := range facts {
		parts = append(parts, "gate "+f+" closed")
	}
	return orNothing(parts)
}

func printDone(d *control.Done) string {
	var b strings.Builder
	outcome := "done"
	switch {
	case d.Pending:
		outcome = "waits for confirmation"
	case !d.Done:
		outcome = "NOT DONE: " + plain(d.Error)
	}
	fmt.Fprintf(&b, "%s  %s %s: %s\n", d.Instance, d.Verb, d.Scope, outcome)
	if d.Hint != "" {
		fmt.Fprintf(&b, "  %s\n", d.Hint)
	}
	fmt.Fprintf(&b, "  now %s; in force: %s\n", d.State, inForce(&d.Latches, nil, nil))
	return b.String()
}

func printLimits(l *control.Limits) string {
	var b strings.Builder
	fmt.Fprintf(&b, "partition %s, instance %s\n%-12s %-12s %-12s %-12s\n", l.Partition, l.Instance, "limit", "configured", "tightened", "effective")
	for _, x := range l.Limits {
		fmt.Fprintf(&b, "%-12s %-12s %-12s %-12s %s\n", x.Limit, orOff(x.Configured, "off"), orOff(x.Tightened, "-"), orOff(x.Effective, "off"), x.Unit)
	}
	return b.String()
}

func orOff(v float64, word string) string {
	if v == 0 {
		return word
	}
	return fmt.Sprintf("%.6g", v)
}
