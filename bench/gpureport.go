package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"github.com/sigengine/sigengine/gpu"
)

// GPUMachine is the device that was measured.
type GPUMachine struct {
	Name    string `json:"name"`
	SMs     int    `json:"sms"`
	Memory  uint64 `json:"memory_bytes"`
	CUDA    string `json:"cuda"`   // of the driver
	Driver  string `json:"driver"` // its own version
	Torch   string `json:"torch,omitempty"`
	Program string `json:"burst_program"` // which program the burst, the turns and the replay ran
}

// GPUParity is what the engine's tests said on this device.
type GPUParity struct {
	Operators  int64 `json:"operators"`
	Programs   int64 `json:"programs"`
	Rows       int64 `json:"rows"`
	Mismatches int64 `json:"mismatches"`
}

// GPUThroughput is in million ticks a second, the sweep in million ticks × sets; what was not measured is left out. Lane1 and
// Lane8 are of the quicker dispatch, the others of the resident one alone.
type GPUThroughput struct {
	Lane1         float64 `json:"lane_1,omitempty"`
	Lane8         float64 `json:"lane_8,omitempty"`
	Lane1Resident float64 `json:"lane_1_resident,omitempty"`
	Lane8Resident float64 `json:"lane_8_resident,omitempty"`
	Replay        float64 `json:"replay,omitempty"`
	Sweep         float64 `json:"sweep,omitempty"`
}

// GPUMicroseconds are medians over the rounds; what was not measured is left out.
type GPUMicroseconds struct {
	BurstP50     float64 `json:"burst_1024_p50,omitempty"`
	BurstP99     float64 `json:"burst_1024_p99,omitempty"`
	OneSymbolP50 float64 `json:"one_symbol_32_p50,omitempty"`
}

// GPUInterval is when the device did a part of a batch, in microseconds from the first.
type GPUInterval struct {
	Stream int     `json:"stream"`
	Batch  int     `json:"batch"`
	What   string  `json:"what"`
	From   float64 `json:"from_us"`
	To     float64 `json:"to_us"`
}

// GPUTimeline is what copies and kernels took by the device's clock, and how they overlapped; microseconds.
type GPUTimeline struct {
	Streams   int           `json:"streams"`
	Slots     int           `json:"slots"` // of a batch
	In        float64       `json:"copy_in_us"`
	Kernel    float64       `json:"kernel_us"`
	Out       float64       `json:"copy_out_us"`
	Span      float64       `json:"span_us"`
	Sum       float64       `json:"sum_us"`
	Both      float64       `json:"copy_beside_kernel_us"`
	Intervals []GPUInterval `json:"intervals"`
}

// GPUResult is what bench gpu finds.
type GPUResult struct {
	*Report
	GPU          GPUMachine      `json:"gpu"`
	Parity       *GPUParity      `json:"parity,omitempty"` // nil: not said
	Throughput   GPUThroughput   `json:"throughput"`
	Microseconds GPUMicroseconds `json:"microseconds"`
	Crossover    []Crossover     `json:"crossover"`
	Timeline     []GPUTimeline   `json:"timeline"`
	Failed       []string        `json:"failed"` // parts that are missing, and why
}

func newGPUResult(d *gpu.Device, program string) *GPUResult {
	info := d.Info()
	major, minor := d.Driver().Version()
	return &GPUResult{
		Report: newReport("gpu"),
		GPU: GPUMachine{
			Name: info.Name, SMs: info.SMs, Memory: info.MemoryBytes, CUDA: fmt.Sprintf("%d.%d", major, minor),
			Driver: driverVersion("/proc/driver/nvidia/version"), Program: program,
		},
		Crossover: []Crossover{}, Timeline: []GPUTimeline{}, Failed: []string{},
	}
}

var versionOf = regexp.MustCompile(`\b[0-9]+\.[0-9]+(\.[0-9]+)*\b`)

func driverVersion(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	return versionOf.FindString(string(text))
}

// The pairs that ratios are made of. The stream's is the worst of its batches.
var gpuRatios = []struct {
	name string
	a, b series
	of   percentile
}{
	{"resident_1_p50_over_floor", series{"rounds", byOurs, "resident", 1}, series{"rounds", byFloor, "floor", 1}, p50},
	{"resident_1_p99_over_floor", series{"rounds", byOurs, "resident", 1}, series{"rounds", byFloor, "floor", 1}, p99},
	{"resident_32_p50_over_floor32", series{"rounds", byOurs, "resident", 32}, series{"rounds", byFloor, "floor", 32}, p50},
	{"cpp_stream_p50_over_resident", series{"rounds", byCPP, "copies", 1}, series{"rounds", byOurs, "resident", 1}, p50},
	{"cpp_graph_p50_over_resident", series{"rounds", byCPP, "graph", 1}, series{"rounds", byOurs, "resident", 1}, p50},
	{"torch_eager_p50_over_resident", series{"torch", byTorch, "eager", 1}, series{"torch", byOurs, "resident", 1}, p50},
	{"torch_graph_p50_over_resident", series{"torch", byTorch, "graph", 1}, series{"torch", byOurs, "resident", 1}, p50},
}

// assemble fills the result from samples.
func (g *GPUResult) assemble(all samples) {
	add := func(name string, a, b series, of percentile) {
		v, n := all.ratio(a, b, of)
		if n == 0 {
			g.Failed = append(g.Failed, name+": there is no pair of "+a.text()+" and "+b.text())
			return
		}
		if n < gpuRounds {
			g.Failed = append(g.Failed, fmt.Sprintf("%s: of %d pairs, not %d", name, n, gpuRounds))
		}
		g.Ratios = append(g.Ratios, Ratio{name, v})
	}
	for _, r := range gpuRatios {
		add(r.name, r.a, r.b, r.of)
	}
	worst := 0
	for _, size := range streamSizes {
		v, _ := all.ratio(streamSeries(size), copiesSeries(size), p50)
		if most, _ := all.ratio(streamSeries(worst), copiesSeries(worst), p50); v > most {
			worst = size
		}
	}
	add("stream_p50_over_cpp", streamSeries(worst), copiesSeries(worst), p50)
	ours, okOurs := all.median(series{"memory", byOurs, "rss", 0}, value)
	theirs, okTheirs := all.median(series{"rounds", byCPP, "rss", 0}, value)
	if okOurs && okTheirs {
		g.Ratios = append(g.Ratios, Ratio{"rss_over_cpp", round(ours / theirs)})
	} else {
		g.Failed = append(g.Failed, "rss_over_cpp: memory of one of the two processes is missing")
	}
	g.Throughput.Lane1Resident, _ = all.median(series{"throughput", byOurs, "throughput, resident", 1}, value)
	g.Throughput.Lane8Resident, _ = all.median(series{"throughput", byOurs, "throughput, resident", gpuLanes}, value)
	streamed1, _ := all.median(series{"throughput", byOurs, "throughput, stream", 1}, value)
	streamed8, _ := all.median(series{"throughput", byOurs, "throughput, stream", gpuLanes}, value)
	g.Throughput.Lane1, g.Throughput.Lane8 = max(g.Throughput.Lane1Resident, streamed1), max(g.Throughput.Lane8Resident, streamed8)
	g.Throughput.Replay, _ = all.median(series{"replay", byOurs, "replay", 0}, value)
	g.Throughput.Sweep, _ = all.median(series{"sweep", byOurs, "sweep", 0}, value)
	g.Microseconds.BurstP50, _ = all.median(series{"burst", byOurs, "burst", gpuUniverse}, p50)
	g.Microseconds.BurstP99, _ = all.median(series{"burst", byOurs, "burst", gpuUniverse}, p99)
	g.Microseconds.OneSymbolP50, _ = all.median(series{"rounds", byOurs, "resident, one instrument", 32}, p50)
	g.figures(all)
	if raw, err := json.Marshal(all); err == nil {
		g.Raw = raw
	}
}

func streamSeries(size int) series { return series{"rounds", byOurs, "stream", size} }
func copiesSeries(size int) series { return series{"rounds", byCPP, "copies", size} }

// figures lists the median of every series, in the order of its first sample.
func (g *GPUResult) figures(all samples) {
	seen := map[series]bool{}
	for i := range all {
		s := &all[i]
		key := series{s.Part, s.By, s.What, s.Batch}
		if seen[key] {
			continue
		}
		seen[key] = true
		rounds := fmt.Sprintf("median of %d, %s", len(all.of(key)), s.Part)
		if s.Unit != "" {
			v, _ := all.median(key, value)
			g.add(key.text(), v, s.Unit, rounds)
			continue
		}
		half, _ := all.median(key, p50)
		tail, _ := all.median(key, p99)
		g.add(key.text()+", p50", half, "us", rounds)
		g.add(key.text()+", p99", tail, "us", rounds)
	}
	for _, size := range streamSizes {
		if v, n := all.ratio(streamSeries(size), copiesSeries(size), p50); n > 0 {
			g.add(fmt.Sprintf("stream p50 over C++ copies, %d at once", size), v, "x", fmt.Sprintf("%d pairs", n))
		}
	}
	quiet, loud := series{"neighbour", byOurs, "quiet", 1}, series{"neighbour", byOurs, "beside an allocating goroutine", 1}
	if v, n := all.ratio(loud, quiet, p99); n > 0 {
		g.add("resident p99 beside an allocating goroutine, over quiet", v, "x", fmt.Sprintf("%d pairs", n))
	}
}

var (
	parityOperators = regexp.MustCompile(`parity operators=(\d+) rows=(\d+) mismatches=(\d+)`)
	parityPrograms  = regexp.MustCompile(`parity programs=(\d+) rows=(\d+) mismatches=(\d+)`)
)

// readParity finds what the engine's tests said. A run in which a test failed says nothing.
func readParity(file string) (*GPUParity, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return parseParity(string(text))
}

func parseParity(text string) (*GPUParity, error) {
	if regexp.MustCompile(`(?m)^\s*--- FAIL|^FAIL|^panic:`).MatchString(text) {
		return nil, errors.New("the engine's tests failed on this GPU: see their output")
	}
	var p GPUParity
	for _, part := range []struct {
		line  *regexp.Regexp
		count *int64
		name  string
	}{{parityOperators, &p.Operators, "operators"}, {parityPrograms, &p.Programs, "programs"}} {
		found := part.line.FindStringSubmatch(text)
		if found == nil {
			return nil, fmt.Errorf("no line says `parity %s=`: did the engine's tests run on a GPU?", part.name)
		}
		var numbers [3]int64
		for i := range numbers {
			n, err := strconv.ParseInt(found[i+1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("parity: %w", err)
			}
			numbers[i] = n
		}
		*part.count = numbers[0]
		p.Rows += numbers[1]
		p.Mismatches += numbers[2]
	}
	return &p, nil
}
