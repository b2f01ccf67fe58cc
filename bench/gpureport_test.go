package bench

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata and the generated parts of docs")

// sampled reads raw output as a run writes it.
func sampled(t *testing.T) (all samples) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "gpu.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var s Sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func assembled(all samples) *GPUResult {
	g := &GPUResult{Report: &Report{What: "gpu", Ratios: Ratios{}, Figures: []Figure{}, Date: "2026-01-02T03:04:05Z"}, Failed: []string{}}
	g.GPU = GPUMachine{Name: "A GPU", SMs: 132, Driver: "1.2.3", CUDA: "13.0", Program: "twenty.yaml"}
	g.Crossover = []Crossover{{6, 1024, 1, 1, 0.6, 1, 1.5, 3.3, 4.4, 0.3}, {6, 1024, 1024, 8, 215, 240, 4.7, 22, 35, 46}}
	g.Timeline = []GPUTimeline{{Streams: 3, Slots: 4096, In: 7, Kernel: 300, Out: 20, Sum: 3924, Span: 1300, Both: 100}}
	g.assemble(all)
	return g
}

// TestAssembleGPU: the result has every figure that the issue asks for, as medians of pairs of one round.
func TestAssembleGPU(t *testing.T) {
	g := assembled(sampled(t))
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Ratios                   map[string]float64
		Throughput, Microseconds map[string]float64
		Failed                   []string
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	for _, group := range []struct {
		name string
		got  map[string]float64
		want map[string]float64
	}{
		{"ratios", read.Ratios, map[string]float64{
			"resident_1_p50_over_floor": 1.65, "resident_1_p99_over_floor": 1.7, "resident_32_p50_over_floor32": 2.1,
			"stream_p50_over_cpp": 1.2, "cpp_stream_p50_over_resident": 4.545, "cpp_graph_p50_over_resident": 3.333,
			"torch_eager_p50_over_resident": 84.24, "torch_graph_p50_over_resident": 12.42, "rss_over_cpp": 1.75,
		}},
		{"throughput", read.Throughput, map[string]float64{"lane_1": 11, "lane_8": 81, "lane_1_resident": 11, "lane_8_resident": 81, "replay": 20.5, "sweep": 32}},
		{"microseconds", read.Microseconds, map[string]float64{"burst_1024_p50": 28, "burst_1024_p99": 45, "one_symbol_32_p50": 7.9}},
	} {
		for name, want := range group.want {
			if got := group.got[name]; got != want {
				t.Errorf("%s.%s is %v, want %v", group.name, name, got, want)
			}
		}
		if len(group.got) != len(group.want) {
			t.Errorf("%s are %v", group.name, group.got)
		}
	}
	if len(read.Failed) != 0 {
		t.Errorf("said to be missing: %q", read.Failed)
	}
}

// TestAssembleSaysWhatIsMissing: a contender that did not run takes its ratios with it and nothing else.
func TestAssembleSaysWhatIsMissing(t *testing.T) {
	all := slices.DeleteFunc(sampled(t), func(s Sample) bool {
		return s.By == byTorch || s.By == byFloor && s.Round > 3
	})
	g := assembled(all)
	if len(g.Ratios) != 7 {
		t.Errorf("%v", g.Ratios)
	}
	failed := strings.Join(g.Failed, "\n")
	for _, want := range []string{"torch_eager_p50_over_resident: there is no pair", "resident_1_p50_over_floor: of 3 pairs, not 7"} {
		if !strings.Contains(failed, want) {
			t.Errorf("no %q in\n%s", want, failed)
		}
	}
	if g := assembled(nil); len(g.Ratios) != 0 || len(g.Failed) != len(gpuRatios)+2 {
		t.Errorf("of nothing: %v, %q", g.Ratios, g.Failed)
	}
}

func TestParity(t *testing.T) {
	const good = "    x_test.go:1: parity operators=212 rows=100 mismatches=0; no expression for []\n    parity programs=256 rows=50 mismatches=0\nPASS\n"
	p, err := parseParity(good)
	if err != nil || *p != (GPUParity{Operators: 212, Programs: 256, Rows: 150}) {
		t.Errorf("%v, %v", p, err)
	}
	for _, bad := range []string{"", "PASS\n", strings.Replace(good, "programs=", "rograms=", 1), good + "--- FAIL: TestX\n", good + "panic: x\n"} {
		if p, err := parseParity(bad); err == nil {
			t.Errorf("%v of %q", p, bad)
		}
	}
}

func TestRatiosReadBack(t *testing.T) {
	want := Ratios{{"b", 2.5}, {"a", 1}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Ratios
	if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`{"a":"x"}`), &got); err == nil {
		t.Error("a ratio that is no number")
	}
}

// TestMarkdown: what a page shows of a result.
func TestMarkdown(t *testing.T) {
	golden(t, filepath.Join("testdata", "gpu.md"), assembled(sampled(t)).Markdown())
}

func TestCrossoverSVG(t *testing.T) {
	svg := assembled(nil).CrossoverSVG()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || !strings.Contains(svg, "6 signals, GPU") || strings.Contains(svg, "20 signals") {
		t.Error(svg)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is not in step; run go test ./bench -update and look at the difference. Got:\n%s", name, got)
	}
}

// TestBenchmarksPage: the page shows the committed result.
func TestBenchmarksPage(t *testing.T) {
	generated := "Not measured yet.\n"
	text, err := os.ReadFile(filepath.Join("results", "h200", "gpu.json"))
	switch {
	case err == nil:
		var g GPUResult
		if err := json.Unmarshal(text, &g); err != nil {
			t.Fatal(err)
		}
		generated = g.Markdown()
		golden(t, filepath.Join("..", "docs", "crossover.svg"), g.CrossoverSVG())
	case !errors.Is(err, fs.ErrNotExist):
		t.Fatal(err)
	}
	name := filepath.Join("..", "docs", "benchmarks.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), generatedBegin+"\n")
	_, after, ok2 := strings.Cut(rest, generatedEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has lost the marks of its generated part", name)
	}
	golden(t, name, before+generatedBegin+"\n"+generated+generatedEnd+after)
}
