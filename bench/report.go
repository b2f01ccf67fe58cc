package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Figure is one number with its unit.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Note  string  `json:"note,omitempty"`
}

// Ratio is a number of times: the median of interleaved pairs.
type Ratio struct {
	Name  string
	Value float64
}

// Ratios are in the order in which they were measured; in JSON they are one flat object.
type Ratios []Ratio

// MarshalJSON writes an object, name to number.
func (r Ratios) MarshalJSON() ([]byte, error) {
	dst := []byte{'{'}
	for i, ratio := range r {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(strconv.AppendQuote(dst, ratio.Name), ':')
		dst = strconv.AppendFloat(dst, ratio.Value, 'g', 6, 64)
	}
	return append(dst, '}'), nil
}

// Machine says where and with what a report was made.
type Machine struct {
	CPU        string   `json:"cpu"`
	CPUs       int      `json:"cpus"`
	GOMAXPROCS int      `json:"gomaxprocs"`
	Kernel     string   `json:"kernel"`
	Platform   string   `json:"platform"`
	Go         string   `json:"go"`
	Commit     string   `json:"commit,omitempty"`
	Modules    []string `json:"modules"`
}

// Report is the outcome of one benchmark.
type Report struct {
	What    string          `json:"what"`
	Date    string          `json:"date"`
	Machine Machine         `json:"machine"`
	Ratios  Ratios          `json:"ratios"`
	Figures []Figure        `json:"figures"`
	Raw     json.RawMessage `json:"raw,omitempty"`
}

// newReport begins a report.
func newReport(what string) *Report {
	return &Report{What: what, Date: time.Now().UTC().Format(time.RFC3339), Machine: ThisMachine(), Ratios: Ratios{}, Figures: []Figure{}}
}

func (r *Report) add(name string, value float64, unit, note string) {
	r.Figures = append(r.Figures, Figure{name, round(value), unit, note})
}

// ratio adds the median of a's over b's.
func (r *Report) ratio(name string, a, b []float64) {
	quotients := make([]float64, len(a))
	for i := range a {
		quotients[i] = a[i] / b[i]
	}
	r.Ratios = append(r.Ratios, Ratio{name, round(median(quotients))})
}

// round keeps four significant digits.
func round(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// String returns the report as a table.
func (r *Report) String() string {
	var b strings.Builder
	m := &r.Machine
	fmt.Fprintf(&b, "%s, %s, %d CPUs, %s, %s, %s\n", r.What, m.CPU, m.CPUs, m.Kernel, m.Go, r.Date)
	for _, f := range r.Figures {
		fmt.Fprintf(&b, "  %-44s %12s %-10s %s\n", f.Name, strconv.FormatFloat(f.Value, 'f', -1, 64), f.Unit, f.Note)
	}
	for _, ratio := range r.Ratios {
		fmt.Fprintf(&b, "  %-44s %12s x\n", ratio.Name, strconv.FormatFloat(ratio.Value, 'f', -1, 64))
	}
	return b.String()
}

// ThisMachine describes the machine and the build.
func ThisMachine() Machine {
	m := Machine{
		CPU: firstField("/proc/cpuinfo", "model name"), CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Modules: []string{},
	}
	if version, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = "Linux " + strings.TrimSpace(string(version))
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			m.Commit = s.Value[:min(len(s.Value), 12)]
		}
	}
	for _, d := range info.Deps {
		switch d.Path {
		case "github.com/nats-io/nats.go", "github.com/nats-io/nats-server/v2", "github.com/valyala/fastjson",
			"github.com/HdrHistogram/hdrhistogram-go":
			m.Modules = append(m.Modules, d.Path+" "+d.Version)
		}
	}
	return m
}

// firstField returns the first value of a name in a file of `name : value` lines.
func firstField(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		key, value, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
