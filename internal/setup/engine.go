package setup

import (
	"fmt"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/ring"
)

// Generation is the number of the first configuration of a run.
const Generation = 1

// Engine compiles the signals and returns the engine's configuration. A configuration without signals records
// only: its program is nil. Mistakes in expressions come back as config.Errors.
func Engine(c *config.Config) (engine.Config, *kernels.Compiled, error) {
	e := engine.Default()
	if c.Clock == config.ClockExchange {
		e.TimeBase = feed.TimeExchange
	}
	e.LateDropNs = int64(c.LateDrop)
	e.ClockTrailsNs = int64(c.Risk.MaxTrail)
	e.HeartbeatNs = int64(c.Engine.Heartbeat)
	e.Instruments = c.Engine.InstrumentsMax
	e.Lanes = c.Engine.Lanes
	e.Batch = c.Engine.BatchTicks
	e.LaneSlots = max(e.LaneSlots, 2*ceilPowerOfTwo(e.Batch))
	e.Mode = map[config.Mode]engine.Mode{
		config.ModeFused: engine.ModeFused, config.ModeStaged: engine.ModeStaged,
	}[c.Engine.Mode]
	e.Wait = map[config.Wait]ring.Strategy{
		config.WaitSpin: ring.Spin, config.WaitPark: ring.Park, config.WaitSpinPark: ring.SpinThenPark,
	}[c.Engine.Wait]
	e.Applies = applies(c)
	var compiled *kernels.Compiled
	var err error
	if len(c.Signals) > 0 {
		if compiled, err = c.Compile(); err != nil {
			return engine.Config{}, nil, fmt.Errorf("setup: %w", err)
		}
		e.Program = compiled.Program
		evaluations(&e, compiled)
		e.Parameters = parameters(c, compiled)
	}
	if e.NextReset, err = nextReset(c.Session); err != nil {
		return engine.Config{}, nil, fmt.Errorf("setup: session: %w", err)
	}
	if e.Desk, err = desk(c, compiled); err != nil {
		return engine.Config{}, nil, fmt.Errorf("setup: %w", err)
	}
	e.Desk.NextDay = e.NextReset
	return e, compiled, nil
}

// parameters returns the function that gives an instrument its parameters, or nil if none differ between instruments.
func parameters(c *config.Config, compiled *kernels.Compiled) func(feed.Symbol) []engine.Parameter {
	if len(compiled.Params) == 0 {
		return nil
	}
	return func(symbol feed.Symbol) []engine.Parameter {
		var out []engine.Parameter
		for _, p := range compiled.Params {
			out = append(out, engine.Parameter{Word: p.Word, Value: c.ParamValue(p, symbol.Venue, symbol.Name)})
		}
		return out
	}
}

// evaluations says on which slots beside an instrument's own ticks signals are evaluated.
func evaluations(e *engine.Config, compiled *kernels.Compiled) {
	for _, periodNs := range compiled.Clocks {
		e.Clocks = append(e.Clocks, engine.Clock{PeriodNs: periodNs})
	}
	e.References.Program = compiled.ReferenceProgram
	for _, r := range compiled.References {
		e.References.List = append(e.References.List, engine.Reference{
			Symbol: feed.Symbol{Venue: r.Venue, Name: r.Symbol}, Bit: r.Bit, Row: r.Output, Quarter: r.Quarter,
		})
	}
	for i := range compiled.Signals {
		s := &compiled.Signals[i]
		if s.Clock >= 0 {
			e.Clocks[s.Clock].Signals |= 1 << i
		}
		for _, r := range s.OnReferences {
			e.References.List[r].Signals |= 1 << i
		}
	}
}

// applies says which signals an instrument has, and whether configuration kills it.
func applies(c *config.Config) func(feed.Symbol) (uint64, bool) {
	return func(symbol feed.Symbol) (signals uint64, killed bool) {
		for i := range c.Signals {
			if c.Signals[i].Applies(symbol.Venue, symbol.Name) {
				signals |= 1 << i
			}
		}
		for _, k := range c.Risk.Kill {
			if k.Scope == config.KillInstrument && k.Venue == symbol.Venue && k.Symbol == symbol.Name {
				killed = true
			}
		}
		return signals, killed
	}
}

func ceilPowerOfTwo(n int) int {
	p := 1
	for p < n {
		p <<= 1
	}
	return p
}
