package tidy

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// ban says that a function of the standard library has a better way in some files.
type ban struct {
	importPath string
	functions  []string
	in         []string // files, as in matches
	except     []string // files among them, as in matches
	instead    string
}

var bans = []ban{
	{
		importPath: "time", functions: []string{"Now", "Since", "Until"},
		in: []string{"..."},
		except: []string{
			"feed/clock*.go", "cmd/...", "bench/...", "ring/ringbench/...",
			"internal/testnats/...", // waits for other processes
		},
		instead: "take the time as an argument; feed's clock is the one reader of it",
	},
	{
		importPath: "math",
		functions: []string{
			"FMA", "Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Pow", "Pow10", "Cbrt", "Hypot",
			"Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Asin", "Acos", "Atan", "Atan2", "Erf", "Gamma",
		},
		in:      []string{"kernels/...", "risk/...", "internal/engine/...", "feed/*.go"},
		instead: "processors disagree on it; build it from + - * / and Sqrt, or fold a constant",
	},
	{
		importPath: "math", functions: []string{"Max", "Min"},
		in:      []string{"kernels/...", "risk/..."},
		instead: "hardware disagrees on NaN and signed zero; compare and select",
	},
	{
		importPath: "os", functions: []string{"Exit"},
		in: []string{"..."}, except: []string{"cmd/*/main.go"},
		instead: "return an error",
	},
	{
		importPath: "encoding/binary", functions: []string{"Read", "Write"},
		in:      []string{"..."},
		instead: "use binary.LittleEndian and offsets, as the byte ruler says",
	},
}

// dataPlane names files that run once a tick or once a signal: no lock, channel, goroutine, formatting or log in them.
var dataPlane = []string{
	"ring/consumer.go", "ring/producer.go",
	"feed/depth.go", "feed/decodestats.go", "feed/enginetime.go", "feed/reject.go", "feed/tick.go",
	"feed/wire/binary.go", "feed/wire/frame.go", "feed/wire/json.go", "feed/wire/jsonfields.go", "feed/wire/jsonkinds.go",
	"feed/wire/message.go", "feed/wire/valid.go", "feed/venue/binancefields.go",
	"kernels/program/ops_bits.go", "kernels/program/ops_float.go", "kernels/program/ops_io.go",
	"kernels/program/moments.go", "kernels/program/window_duration.go", "kernels/program/window_samples.go",
	"internal/engine/deskstage.go", "internal/engine/lane.go", "internal/engine/sequencer.go",
	"risk/ask.go", "risk/book.go", "risk/control.go", "risk/desk.go", "risk/facts.go", "risk/gates.go", "risk/prices.go", "risk/rate.go",
	"risk/refuse.go", "risk/see.go", "risk/withdraw.go",
	"signal/enums.go", "signal/hash.go", "signal/json.go",
	"internal/metrics/recorder.go",
}

// notOnDataPlane are packages such files do without.
var notOnDataPlane = []string{"fmt", "log", "log/slog", "reflect", "sync", "encoding/json", "context"}

func TestBannedCalls(t *testing.T) {
	for _, f := range goFiles(t) {
		for i := range bans {
			checkBan(f, &bans[i], fail(t))
		}
		checkInit(f, fail(t))
	}
}

func checkBan(f *file, b *ban, report report) {
	if f.isTest() {
		return
	}
	if !slices.Contains(b.in, "...") && !matches(f.path, b.in...) || matches(f.path, b.except...) {
		return
	}
	name := f.importName(b.importPath)
	if name == "" {
		return
	}
	if name == "." {
		report(f, f.syntax.Package, "imports "+b.importPath+" into its own names; import it by its name")
		return
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && x.Name == name && slices.Contains(b.functions, selector.Sel.Name) {
			report(f, n.Pos(), path.Base(b.importPath)+"."+selector.Sel.Name+": "+b.instead)
		}
		return true
	})
}

func checkInit(f *file, report report) {
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			report(f, fn.Pos(), "func init runs unasked; make it a function that main calls")
		}
	}
}

func TestDataPlane(t *testing.T) {
	found, folders := map[string]bool{}, map[string]bool{}
	for _, f := range goFiles(t) {
		folders[f.dir] = true
		if slices.Contains(dataPlane, f.path) {
			found[f.path] = true
			checkDataPlane(f, fail(t))
		}
	}
	for _, name := range dataPlane {
		if !found[name] && folders[path.Dir(name)] {
			t.Errorf("%s is gone; where did its code go? Correct dataPlane in internal/tidy/banned_test.go", name)
		}
	}
}

func checkDataPlane(f *file, report report) {
	for _, spec := range f.syntax.Imports {
		if imported := strings.Trim(spec.Path.Value, `"`); slices.Contains(notOnDataPlane, imported) {
			report(f, spec.Pos(), "a data-plane file imports "+imported+"; count, return a value, or move this to a control-plane file")
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		var what string
		switch n := n.(type) {
		case *ast.ChanType, *ast.SendStmt, *ast.SelectStmt:
			what = "channel"
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				what = "channel"
			}
		case *ast.GoStmt:
			what = "goroutine"
		case *ast.DeferStmt:
			what = "defer"
		}
		if what != "" {
			report(f, n.Pos(), "a data-plane file has a "+what+"; hand over by ring, or move this to a control-plane file")
		}
		return true
	})
}
