package tidy

import (
	"go/token"
	"os/exec"
	"sort"
	"strings"
	"testing"
)

// Modules of others, by the names the table uses.
const (
	fastjson   = "github.com/valyala/fastjson"
	hdr        = "github.com/HdrHistogram/hdrhistogram-go"
	natsClient = "github.com/nats-io/nats.go"
	natsServer = "github.com/nats-io/nats-server/v2"
	yaml       = "go.yaml.in/yaml/v3"
	cobra      = "github.com/spf13/cobra"
	pflag      = "github.com/spf13/pflag"
	system     = "golang.org/x/sys"
	automaxp   = "go.uber.org/automaxprocs"
	purego     = "github.com/ebitengine/purego"
)

// allowed says what the code of a package, tests aside, may import besides the standard library.
type allowed struct {
	own   []string // ours: patterns as in matches
	other []string // modules of others
}

// importTable is the design's: a stage may import what lies before it on a tick's path, mechanisms are leaves.
var importTable = map[string]allowed{
	// Mechanisms know nothing of market data.
	"ring":            {},
	"gpu":             {own: []string{"gpu/internal/...", "gpu/hazard"}},
	"gpu/internal/cu": {other: []string{purego}},
	"gpu/cufake":      {other: []string{purego}},
	"gpu/hazard":      {},
	"gpu/mailbox":     {other: []string{system}},

	// What enters.
	"feed":                 {own: []string{"ring"}},
	"feed/internal/jsonin": {own: []string{"feed"}, other: []string{fastjson}},
	"feed/wire":            {own: []string{"feed", "feed/internal/..."}, other: []string{fastjson}},
	"feed/venue":           {own: []string{"feed", "feed/internal/..."}, other: []string{fastjson}},
	"feed/codec":           {own: []string{"feed", "feed/wire", "feed/venue"}},
	"feed/sim":             {own: []string{"feed", "feed/wire", "internal/sleep"}},
	"feed/natsfeed":        {own: []string{"feed/...", "ring", "internal/natsconn", "internal/metrics"}, other: []string{natsClient}},

	// What is computed.
	"kernels/program": {own: []string{"feed"}},
	"kernels/cuda":    {own: []string{"feed", "kernels", "kernels/..."}, other: []string{purego}}, // purego: its tests
	"kernels/exact":   {own: []string{"feed", "kernels/program"}},
	"kernels/expr":    {own: []string{"feed", "kernels/..."}},
	"kernels":         {own: []string{"feed", "kernels/..."}},

	// What leaves.
	"signal":           {},
	"risk":             {own: []string{"feed", "signal", "kernels/program"}},
	"internal/publish": {own: []string{"feed", "signal", "ring", "internal/natsconn", "internal/metrics"}, other: []string{natsClient}},

	// The record and the one place where it all meets.
	"replay/journal":          {own: []string{"feed", "ring", "signal"}},
	"replay/journal/memstore": {own: []string{"replay/journal"}},
	"internal/engine":         {own: []string{"feed", "ring", "kernels/...", "gpu", "gpu/mailbox", "risk", "signal", "replay/journal", "internal/metrics"}},
	"replay/snapshot":         {own: []string{"internal/engine"}},
	"replay": {own: []string{
		"feed/...", "ring", "kernels/...", "risk", "signal", "replay/journal", "replay/snapshot",
		"internal/engine", "internal/config", "internal/metrics", "internal/setup", "internal/sleep",
	}},

	// Around it.
	"internal/metrics": {other: []string{hdr}},
	"internal/config":  {own: []string{"feed/...", "kernels/...", "risk", "ring", "signal"}, other: []string{yaml}},
	"internal/setup": {own: []string{
		"feed/...", "ring", "kernels/...", "risk", "signal", "replay/journal", "internal/config", "internal/engine",
		"internal/metrics",
	}},
	"internal/live": {own: []string{
		"feed/...", "ring", "risk", "signal", "replay/...", "internal/config", "internal/control", "internal/engine", "internal/metrics",
		"internal/natsconn", "internal/publish", "internal/report", "internal/setup",
	}},
	"internal/control": {
		own:   []string{"feed", "risk", "signal", "internal/config", "internal/engine", "internal/metrics", "internal/natsconn"},
		other: []string{natsClient},
	},
	"internal/executor": {own: []string{"gpu", "gpu/mailbox", "internal/config", "internal/engine"}},
	"internal/table":    {own: []string{"kernels/..."}},
	"internal/explain": {own: []string{
		"feed", "kernels/...", "risk", "signal", "replay/...", "internal/config", "internal/engine",
	}},
	"internal/report":     {own: []string{"internal/metrics"}},
	"internal/natsconn":   {other: []string{natsClient}},
	"internal/natsserver": {other: []string{natsServer}},
	"internal/journalio":  {own: []string{"feed", "signal", "replay/journal", "internal/engine"}},
	"internal/simulate": {own: []string{
		"feed/...", "ring", "kernels/...", "risk", "signal", "replay/...",
		"internal/engine", "internal/config", "internal/metrics", "internal/publish", "internal/journalio", "internal/setup",
	}},
	"internal/testnats": {own: []string{"internal/natsserver", "internal/natsconn"}, other: []string{natsClient, natsServer}},
	"internal/awkward":  {own: []string{"kernels/..."}},
	"internal/examples": {},
	"internal/testdata": {},
	"internal/sleep":    {},
	"internal/tidy":     {},

	// Programs and benchmarks wire anything.
	"cmd/sigengine":  {own: []string{"..."}, other: []string{natsClient, natsServer, cobra, pflag, automaxp, hdr, yaml, system}},
	"bench":          {own: []string{"..."}, other: []string{natsClient, natsServer, hdr, fastjson, system}},
	"bench/programs": {},
	"ring/ringbench": {own: []string{"ring"}},
}

// unreachable says what packages may not reach even by way of others: they run the same without a network.
var unreachable = []struct {
	packages []string
	banned   []string
}{
	{
		packages: []string{"ring", "gpu", "feed", "kernels", "kernels/expr", "kernels/program", "risk", "signal", "internal/engine"},
		banned:   []string{"net/http", natsClient, natsServer, fastjson, yaml, cobra},
	},
}

func TestImportTable(t *testing.T) {
	for _, f := range goFiles(t) {
		checkImports(f, fail(t))
	}
}

func checkImports(f *file, report report) {
	if f.isTest() {
		return
	}
	rule, known := importTable[f.dir]
	if !known {
		report(f, f.syntax.Package, "package "+f.dir+" is not in the import table: add me to internal/tidy/imports_test.go")
		return
	}
	for _, spec := range f.syntax.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		first, _, _ := strings.Cut(imported, "/")
		switch own, isOwn := strings.CutPrefix(imported, module+"/"); {
		case isOwn && !ownAllowed(own, rule.own):
			report(f, spec.Pos(), f.dir+" may not import "+own+"; the import table allows "+list(rule.own))
		case !isOwn && strings.Contains(first, ".") && !otherAllowed(imported, rule.other):
			report(f, spec.Pos(), f.dir+" may not import "+imported+"; the import table allows "+list(rule.other))
		}
	}
}

func ownAllowed(own string, patterns []string) bool {
	return matches(own, patterns...) || len(patterns) == 1 && patterns[0] == "..."
}

func otherAllowed(imported string, modules []string) bool {
	for _, m := range modules {
		if imported == m || strings.HasPrefix(imported, m+"/") {
			return true
		}
	}
	return false
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// internal/engine is the one place where gpu meets kernels, besides programs that wire and measure both.
func TestGPUMeetsKernelsInOnePlace(t *testing.T) {
	type meeting struct{ gpu, kernels *file }
	met := map[string]*meeting{}
	for _, f := range goFiles(t) {
		if f.isTest() {
			continue
		}
		m := met[f.dir]
		if m == nil {
			m = &meeting{}
			met[f.dir] = m
		}
		for _, spec := range f.syntax.Imports {
			own, _ := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
			if matches(own, "gpu/...") {
				m.gpu = f
			}
			if matches(own, "kernels/...") {
				m.kernels = f
			}
		}
	}
	meets := map[string]bool{"internal/engine": true, "bench": true, "cmd/sigengine": true}
	for dir, m := range met {
		if m.gpu != nil && m.kernels != nil && !meets[dir] {
			fail(t)(m.gpu, token.Pos(m.gpu.syntax.FileStart), "imports gpu while "+m.kernels.path+" imports kernels; they meet in internal/engine only")
		}
	}
}

func TestUnreachable(t *testing.T) {
	exists := map[string]bool{}
	for _, f := range goFiles(t) {
		exists[f.dir] = exists[f.dir] || !f.isTest()
	}
	for _, rule := range unreachable {
		for _, dir := range rule.packages {
			if !exists[dir] {
				continue
			}
			for _, dep := range deps(t, dir) {
				if otherAllowed(dep, rule.banned) {
					t.Errorf("%s reaches %s; see: go mod why %s", dir, dep, dep)
				}
			}
		}
	}
}

// deps returns everything a package is built from, sorted.
func deps(t *testing.T, dir string) []string {
	t.Helper()
	command := exec.Command("go", "list", "-e", "-deps", "./"+dir)
	command.Dir = root(t)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list of %s: %v", dir, err)
	}
	all := strings.Fields(string(out))
	sort.Strings(all)
	return all
}
