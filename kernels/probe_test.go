package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// probeSpecs are signals that share, use each other, and have every part.
func probeSpecs() []SignalSpec {
	return []SignalSpec{
		{Name: "a", Value: "zscore(microprice - ema(mid, 5), 9)", When: "abs(value) > 1 and spread < 3", Exit: "abs(value) < 0.5", Side: "-sign(value)"},
		{Name: "b", Value: "sma(price, 4)", When: "crosses(value, mid)", Strength: "a / value"},
		{Name: "c", Value: "ema(mid, 5) - prev(mid)", When: "value > 0 or b > 3"},
		{Name: "d", Value: "diff(price, 3)", When: "value > 1 or value < -1 or bid > 101 or bid < 100 or ask > 103 or ask < 102 or price > 102 or price < 101 or not (spread > 2)"},
		{Name: "e", Value: "std(mid, 7)", When: "value > 0.5 or bid_size > 2 or mid > 103 or mid < 101 or crosses(mid, 102) or crosses(price, 102) or ask_size > 2"},
	}
}

func randomTicks(n int) []slot {
	random := rand.New(rand.NewPCG(1, 2))
	slots := make([]slot, n)
	for i := range slots {
		bid := 100 + float64(random.IntN(40))/8
		switch random.IntN(8) {
		case 0, 1, 2:
			slots[i] = tradeTick(bid, 1, 1)
		case 3:
			slots[i] = statusTick()
		case 4:
			slots[i] = quoteTick(math.NaN(), 1, bid, 2)
		default:
			slots[i] = quoteTick(bid, 1+float64(random.IntN(3)), bid+1, 2)
		}
		slots[i] = slots[i].at(int64(i) * 1e6).on(uint32(random.IntN(3)))
		if random.IntN(50) == 0 {
			slots[i] = slots[i].gap()
		}
	}
	return slots
}

// TestProbeDecidesTheSame: the rows of a probe are those of the program, with more behind them.
func TestProbeDecidesTheSame(t *testing.T) {
	specs := probeSpecs()
	plain := mustCompile(t, specs...)
	probe, errs := CompileProbe(specs, Options{}, 0)
	if errs != nil {
		t.Fatal(errs)
	}
	if len(probe.Compiled.Signals) != len(plain.Signals) || probe.Next != expr.None {
		t.Fatal("signals or nodes are missing")
	}
	slots := randomTicks(2000)
	for _, batch := range []int{1, 64} {
		want, got := run(t, plain.Program, slots, batch), run(t, probe.Compiled.Program, slots, batch)
		fired := 0
		for i := range want {
			if got[i].when != want[i].when || got[i].exit != want[i].exit || got[i].suppressed != want[i].suppressed {
				t.Fatalf("tick %d: masks %x, want %x", i, got[i], want[i])
			}
			for q := range want[i].out {
				if math.Float64bits(got[i].out[q]) != math.Float64bits(want[i].out[q]) {
					t.Fatalf("tick %d, quarter %d: %v, want %v", i, q, got[i].out[q], want[i].out[q])
				}
			}
			if want[i].when != 0 {
				fired++
			}
		}
		if fired == 0 {
			t.Fatal("nothing fired: the test shows nothing")
		}
	}
}

// TestProbeShowsNodes: a node's value, freshness and truth in a probe are those that a signal of it alone shows.
func TestProbeShowsNodes(t *testing.T) {
	specs := probeSpecs()
	probe, errs := CompileProbe(specs, Options{}, 0)
	if errs != nil {
		t.Fatal(errs)
	}
	slots := randomTicks(500)
	rows := run(t, probe.Compiled.Program, slots, 64)
	shown := 0
	for ref := range probe.Nodes {
		n, node := &probe.Nodes[ref], &probe.Graph.Nodes[ref]
		if !n.Shown || !node.Varies || node.Op == expr.OpField && node.Kind != expr.KindNumber {
			continue
		}
		shown++
		text := probe.Graph.Text(expr.Ref(ref))
		alone := watch(text)
		if node.Kind == expr.KindCondition {
			alone = watch("where(" + text + ", 1, 0)")
		}
		want := runValue(t, alone, slots, 64)
		for i := range slots {
			at := func(q int) uint64 { return math.Float64bits(rows[i].out[q-program.RowFirst]) }
			if fresh := n.Fresh.Get(at); fresh != (want[i] != notFresh) {
				t.Fatalf("%s, tick %d: fresh %v, alone %v", text, i, fresh, want[i])
			}
			if want[i] == notFresh {
				continue
			}
			var got float64
			switch {
			case node.Kind == expr.KindNumber:
				got = math.Float64frombits(at(n.Number))
			case n.True.Get(at):
				got = 1
			case !n.False.Get(at):
				got = math.NaN()
			}
			if got != want[i] && (got == got || want[i] == want[i]) {
				t.Fatalf("%s, tick %d: %v, alone %v", text, i, got, want[i])
			}
		}
	}
	if shown < 12 {
		t.Errorf("only %d nodes shown", shown)
	}
	for i, s := range probe.Signals {
		for k := range slots {
			at := func(q int) uint64 { return math.Float64bits(rows[k].out[q-program.RowFirst]) }
			if s.Evaluated.Get(at) != probe.Nodes[s.Value].Fresh.Get(at) {
				t.Fatalf("signal %d, tick %d: evaluated differs from its value's freshness", i, k)
			}
		}
	}
}

// TestProbeInPasses: what does not fit one row is shown by the next probe, each node once.
func TestProbeInPasses(t *testing.T) {
	var specs []SignalSpec
	for i := range MaxSignals {
		value := "mid"
		for k := range 70 {
			value += " + prev(bid, " + string(rune('1'+k%9)) + string(rune('0'+i%10)) + string(rune('0'+i/10)) + ") * " + string(rune('1'+k/9))
		}
		specs = append(specs, SignalSpec{Name: "signal_" + string(rune('a'+i%26)) + string(rune('a'+i/26)), Value: value, When: "value > 1"})
	}
	var seen []int
	passes := 0
	for from := expr.Ref(0); from != expr.None; passes++ {
		probe, errs := CompileProbe(specs, Options{InstructionLimit: 1 << 20, StateWordsLimit: 1 << 21}, from)
		if errs != nil {
			t.Fatal(errs[0].Mistake)
		}
		if probe.Compiled.Program.RowQuarters > program.MaxRowQuarter {
			t.Fatal("the row is too long")
		}
		for ref, n := range probe.Nodes {
			if n.Shown {
				seen = append(seen, ref)
			}
		}
		from = probe.Next
	}
	if passes < 2 {
		t.Fatalf("%d nodes in %d passes: the test shows nothing", len(seen), passes)
	}
	if !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != len(seen) {
		t.Error("nodes are shown twice or out of order")
	}
}

func TestMarginalCosts(t *testing.T) {
	specs := []SignalSpec{
		{Name: "a", Value: "sma(mid, 100)", When: "value > 1"},
		{Name: "b", Value: "sma(mid, 100) + sma(price, 50)", When: "value > 1"},
		{Name: "c", Value: "a", When: "value > 2"},
	}
	costs, err := MarginalCosts(specs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if costs[0].StateWords != 0 || costs[1].StateWords < 50 || costs[1].StateWords > 60 || costs[2].StateWords != 0 {
		t.Errorf("state words %d, %d, %d: only the second has windows of its own", costs[0].StateWords, costs[1].StateWords, costs[2].StateWords)
	}
	for i, c := range costs {
		if c.Instructions() < 1 {
			t.Errorf("signal %d costs %+v", i, c)
		}
	}
	alone, err := MarginalCosts(specs[:1], Options{})
	if err != nil || alone[0].StateWords != CostOf(mustCompile(t, specs[0]).Program).StateWords-1 {
		t.Errorf("%+v, %v", alone, err)
	}
	if _, err := MarginalCosts([]SignalSpec{{Name: "a", Value: "x", When: "true"}}, Options{}); err == nil {
		t.Error("a mistake is no error")
	}
}
