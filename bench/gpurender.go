package bench

import (
	"encoding/json"
	"fmt"
	"strings"
)

// UnmarshalJSON reads what MarshalJSON writes, in its order.
func (r *Ratios) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(strings.NewReader(string(text)))
	if _, err := d.Token(); err != nil {
		return err
	}
	*r = Ratios{}
	for d.More() {
		var ratio Ratio
		name, err := d.Token()
		if err != nil {
			return err
		}
		ratio.Name = fmt.Sprint(name)
		if err := d.Decode(&ratio.Value); err != nil {
			return err
		}
		*r = append(*r, ratio)
	}
	return nil
}

// Where the page's generated part begins and ends.
const (
	generatedBegin = "<!-- generated from bench/results/h200/gpu.json: go test ./bench -run TestBenchmarksPage -update -->"
	generatedEnd   = "<!-- end of what is generated -->"
)

// gpuTargets are what was aimed at, by name of ratio or figure.
var gpuTargets = []struct {
	name, words string
	most        bool // the figure should be at most this; else at least
	target      float64
}{
	{"resident_1_p50_over_floor", "resident, 1 tick, p50 over the one-word floor", true, 1.75},
	{"resident_1_p99_over_floor", "resident, 1 tick, p99 over the one-word floor", true, 1.9},
	{"resident_32_p50_over_floor32", "resident, 32 instruments, p50 over the 32-word floor", true, 2.1},
	{"stream_p50_over_cpp", "stream dispatch, p50 over C++ copies of the same device code, the worst of 1, 64, 256 and 1,024 ticks", true, 1.1},
	{"cpp_stream_p50_over_resident", "C++ copies of the same device code, 1 tick, p50 over resident", false, 3},
	{"cpp_graph_p50_over_resident", "the same as a CUDA graph, over resident", false, 2},
	{"torch_eager_p50_over_resident", "PyTorch eager, the plain step, p50 over resident", false, 50},
	{"torch_graph_p50_over_resident", "PyTorch in a CUDA graph, the plain step, p50 over resident", false, 8},
	{"lane_1", "million ticks/s on one lane, rows checked by the host, the quicker dispatch", false, 11},
	{"lane_8", "million ticks/s on eight lanes, the quicker dispatch", false, 80},
	{"lane_1_resident", "million ticks/s on one resident lane", false, 11},
	{"lane_8_resident", "million ticks/s on eight resident lanes", false, 80},
	{"replay", "million ticks/s, replay in stream dispatch, 4,096 instruments", false, 20},
	{"burst_1024_p50", "burst of 1,024 ticks over as many instruments, eight lanes, last row p50, us", true, 30},
	{"burst_1024_p99", "the same, p99, us", true, 50},
	{"one_symbol_32_p50", "resident, 32 ticks of one instrument, p50, us", true, 8},
	{"rss_over_cpp", "resident memory over the C++ program's", true, 0},
}

// named returns a figure of the result by its name in the JSON.
func (g *GPUResult) named(name string) (float64, bool) {
	for _, r := range g.Ratios {
		if r.Name == name {
			return r.Value, true
		}
	}
	v := map[string]float64{
		"lane_1": g.Throughput.Lane1, "lane_8": g.Throughput.Lane8, "lane_1_resident": g.Throughput.Lane1Resident, "lane_8_resident": g.Throughput.Lane8Resident, "replay": g.Throughput.Replay,
		"burst_1024_p50": g.Microseconds.BurstP50, "burst_1024_p99": g.Microseconds.BurstP99,
		"one_symbol_32_p50": g.Microseconds.OneSymbolP50,
	}[name]
	return v, v != 0
}

// Markdown returns the result as the tables of docs/benchmarks.md.
func (g *GPUResult) Markdown() string {
	var b strings.Builder
	m := &g.Machine
	fmt.Fprintf(&b, "%s (%d SMs, driver %s, CUDA %s), %s, %d processors, %s, %s; %s.\n\n",
		g.GPU.Name, g.GPU.SMs, g.GPU.Driver, g.GPU.CUDA, m.CPU, m.CPUs, m.Kernel, m.Go, g.Date)
	if p := g.Parity; p != nil {
		fmt.Fprintf(&b, "Parity on this device: %d operators and %d random programs, %d rows compared with the CPU's bit for bit, %d mismatches.\n\n",
			p.Operators, p.Programs, p.Rows, p.Mismatches)
	}
	b.WriteString("| figure | measured | aimed at |\n|---|---|---|\n")
	for _, t := range gpuTargets {
		v, ok := g.named(t.name)
		measured, aim := "not measured", "-"
		if ok {
			measured = number(v)
			if t.target > 0 && (v <= t.target) != t.most && v != t.target {
				measured += " (falls short)"
			}
		}
		if t.target > 0 {
			aim = map[bool]string{true: "at most ", false: "at least "}[t.most] + number(t.target)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", t.words, measured, aim)
	}
	fmt.Fprintf(&b, "\nThe burst and the replay run %s.\n", g.GPU.Program)
	g.roundTripTable(&b)
	g.replayTable(&b)
	g.sweepTable(&b)
	g.timelineTable(&b)
	g.crossoverTable(&b)
	if len(g.Failed) > 0 {
		b.WriteString("\nMissing from this run:\n\n")
		for _, text := range g.Failed {
			fmt.Fprintf(&b, "- %s\n", text)
		}
	}
	return b.String()
}

func number(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.4g", v), ".0") }

// roundTripTable lists every way of a round trip by ticks at once, p50 / p99.
func (g *GPUResult) roundTripTable(b *strings.Builder) {
	var all samples
	if json.Unmarshal(g.Raw, &all) != nil {
		return
	}
	sizes := []int{1, 8, 32, 64, 256, 1024}
	b.WriteString("\nRound trips, microseconds, p50 / p99, by ticks at once:\n\n| way |")
	for _, size := range sizes {
		fmt.Fprintf(b, " %d |", size)
	}
	b.WriteString("\n|---|---|---|---|---|---|---|\n")
	for _, way := range []struct{ words, part, by, what string }{
		{"floor: words answered by a kernel that computes nothing", "rounds", byFloor, "floor"},
		{"resident, six.yaml", "rounds", byOurs, "resident"},
		{"the same, ticks of one instrument", "rounds", byOurs, "resident, one instrument"},
		{"stream, six.yaml", "rounds", byOurs, "stream"},
		{"C++ copies, the same device code", "rounds", byCPP, "copies"},
		{"C++ CUDA graph, the same device code", "rounds", byCPP, "graph"},
		{"C++ one kernel on mapped memory, the same device code", "rounds", byCPP, "mapped"},
		{"C++ copies, the plain step", "rounds", byCPP, "step copies"},
		{"C++ CUDA graph, the plain step", "rounds", byCPP, "step graph"},
		{"C++ one kernel on mapped memory, the plain step", "rounds", byCPP, "step mapped"},
		{"PyTorch eager, the plain step", "torch", byTorch, "eager"},
		{"PyTorch CUDA graph, the plain step", "torch", byTorch, "graph"},
	} {
		fmt.Fprintf(b, "| %s |", way.words)
		for _, size := range sizes {
			key := series{way.part, way.by, way.what, size}
			half, ok := all.median(key, p50)
			tail, _ := all.median(key, p99)
			if !ok {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(b, " %s / %s |", number(half), number(tail))
		}
		b.WriteString("\n")
	}
}

// replayTable lists what each part of a replay could do alone.
func (g *GPUResult) replayTable(b *strings.Builder) {
	var lines []string
	for _, f := range g.Figures {
		if name, ok := strings.CutPrefix(f.Name, "ours replay"); ok && f.Unit == "million ticks/s" {
			name = strings.TrimPrefix(strings.TrimPrefix(name, ","), ":")
			if name == "" {
				name = " whole engine, best shape"
			}
			lines = append(lines, fmt.Sprintf("|%s | %s |\n", name, number(f.Value)))
		}
	}
	if len(lines) > 0 {
		b.WriteString("\nReplay of a tape in memory, million ticks/s; of the parts alone the least holds the rest back:\n\n| what | million ticks/s |\n|---|---|\n" +
			strings.Join(lines, ""))
	}
}

// sweepTable lists sweeps of parameter sets on both executors.
func (g *GPUResult) sweepTable(b *strings.Builder) {
	var lines []string
	for _, f := range g.Figures {
		if f.Unit == sweepUnit {
			name := strings.TrimPrefix(strings.Replace(f.Name, " at once", " lanes", 1), "ours ")
			if name == "sweep" {
				name = "the best of stream dispatch again, median"
			}
			lines = append(lines, fmt.Sprintf("| %s | %s |\n", name, number(f.Value)))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\nOne stream of ticks under %d sets of parameters of one program (%s), million ticks × sets a second, a goroutine a lane:\n\n"+
			"| what | million ticks × sets/s |\n|---|---|\n%s", sweepSets, sweepProgram, strings.Join(lines, ""))
	}
}

func (g *GPUResult) timelineTable(b *strings.Builder) {
	if len(g.Timeline) == 0 {
		return
	}
	b.WriteString("\nBatches of slots by the device's clock, microseconds; a batch is one lane's, over 64 blocks:\n\n" +
		"| streams | slots a batch | copy in | kernel | copy out | all parts added | from first to last | copies beside another stream's kernel |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for i := range g.Timeline {
		t := &g.Timeline[i]
		fmt.Fprintf(b, "| %d | %d | %s | %s | %s | %s | %s | %s |\n", t.Streams, t.Slots, number(t.In), number(t.Kernel), number(t.Out),
			number(t.Sum), number(t.Span), number(t.Both))
	}
}

func (g *GPUResult) crossoverTable(b *strings.Builder) {
	if len(g.Crossover) == 0 {
		return
	}
	b.WriteString("\nWhere the GPU wins: one goroutine stages so many ticks and waits for the last row. The CPU executor has one lane and one core, the\n" +
		"GPU one resident lane up to 32 ticks and eight above.\n\n" +
		"| signals | instruments | ticks at once | CPU p50 / p99, us | GPU p50 / p99, us | CPU million ticks/s | GPU million ticks/s | quicker |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for i := range g.Crossover {
		c := &g.Crossover[i]
		quicker := "CPU"
		if c.GPUP50 < c.CPUP50 {
			quicker = "GPU"
		}
		fmt.Fprintf(b, "| %d | %d | %d | %s / %s | %s / %s | %s | %s | %s |\n", c.Signals, c.Instruments, c.Batch, number(c.CPUP50), number(c.CPUP99),
			number(c.GPUP50), number(c.GPUP99), number(c.CPUTicks), number(c.GPUTicks), quicker)
	}
	b.WriteString("\n![latency of a burst on both executors](crossover.svg)\n")
}
