package engine

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// observed notes what happens in which order.
type observed struct {
	order  []string
	events []risk.Event
	slots  []program.Quarter
	values []float64
}

// Emit notes a decided signal.
func (o *observed) Emit(uint32, *signal.Body, int64) uint8 {
	o.order = append(o.order, "decided")
	return 0
}

// TestObserve: every event is seen once, in sequence order, before the desk decides, with its slot and row.
func TestObserve(t *testing.T) {
	compiled, mistakes := kernels.Compile([]kernels.SignalSpec{{Name: "a", Value: "spread * 2", When: "value > 1"}}, kernels.Options{})
	if mistakes != nil {
		t.Fatal(mistakes)
	}
	config := Default()
	config.Instruments, config.Mode, config.Lanes, config.Program = 16, ModeFused, 3, compiled.Program
	config.Desk = risk.Config{Partition: "p", Instruments: 16, GatesOn: true, Rules: []risk.Rule{
		{Name: "a", ValueQuarter: compiled.Signals[0].ValueQuarter, SideQuarter: -1, StrengthQuarter: -1, UsesQuote: true},
	}}
	var seen observed
	e, err := New(config, Ports{Clock: feed.NewManualClock(0), Sink: &seen, Observe: func(o Observation) {
		seen.order = append(seen.order, "seen")
		seen.events = append(seen.events, o.Event)
		if !o.HasSlot() {
			return
		}
		seen.slots = append(seen.slots, o.Slot(program.SlotF2))
		if x := o.Explain(0); x.When {
			seen.values = append(seen.values, math.Float64frombits(o.Row(compiled.Signals[0].ValueQuarter)))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := e.Record()
	for id := range uint32(4) {
		if err := r.Define(id, 1, feed.Symbol{Venue: "v", Name: string('A' + rune(id))}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint64(8) {
		tick := feed.Tick{Seq: i + 1, Source: 1, Instrument: uint32(i % 4), Kind: feed.KindQuote, ReceiveNs: int64(i), F: [4]float64{1, 1, 2 + float64(i), 1}}
		if i == 5 {
			tick.Kind, tick.F = feed.KindGap, [4]float64{}
		}
		if err := r.Tick(&tick); err != nil {
			t.Fatal(err)
		}
	}
	r.Close()
	if len(seen.events) != 8 || len(seen.slots) != 7 || len(seen.values) != 7 || len(seen.order) != 15 || seen.order[0] != "seen" || seen.order[1] != "decided" {
		t.Fatalf("%d events, %d slots, %d fired, order %v", len(seen.events), len(seen.slots), len(seen.values), seen.order)
	}
	at := 0
	for i, event := range seen.events {
		if event.Sequence != uint64(i+1) {
			t.Fatalf("event %d has sequence %d", i, event.Sequence)
		}
		if i == 5 {
			continue
		}
		ask := math.Float64frombits(seen.slots[at].Value)
		if ask != 2+float64(i) || event.F[2] != ask || seen.values[at] != 2*(ask-1) {
			t.Errorf("event %d: ask %v in the slot, %v in the event, value %v", i, ask, event.F[2], seen.values[at])
		}
		at++
	}
}
