package tidy

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// orderedPackages decide the output: the order of a map must not reach it.
var orderedPackages = []string{"feed", "kernels", "kernels/expr", "kernels/program", "risk", "signal", "internal/engine", "replay"}

// orderFree excuses a line: // order-free: reason.
var orderFree = regexp.MustCompile(`// order-free: \S`)

func TestNoMapOrderOnTheWayToOutput(t *testing.T) {
	byDir := map[string][]*file{}
	for _, f := range goFiles(t) {
		if !f.isTest() {
			byDir[f.dir] = append(byDir[f.dir], f)
		}
	}
	lookup := exports(t, orderedPackages, byDir)
	for _, dir := range orderedPackages {
		if len(byDir[dir]) > 0 {
			checkMapRanges(dir, byDir[dir], lookup, fail(t))
		}
	}
}

// checkMapRanges checks those files of a package that are built on this machine.
func checkMapRanges(dir string, files []*file, lookup importer.Lookup, report report) {
	var built []*file
	for _, f := range files {
		if buildsHere(f) {
			built = append(built, f)
		}
	}
	mapRanges(module+"/"+dir, built, lookup, report)
}

// mapRanges type-checks a package and reports its ranges over maps, and over the unsorted iterators of maps. Type
// errors are the compiler's to report: what has no type is passed over.
func mapRanges(importPath string, files []*file, lookup importer.Lookup, report report) {
	fset := token.NewFileSet()
	var syntax []*ast.File
	var again []*file
	for _, f := range files {
		// Parsed again into one file set, which the type checker needs.
		g, err := parseInto(fset, f)
		if err != nil {
			report(f, f.syntax.Package, err.Error())
			return
		}
		again, syntax = append(again, g), append(syntax, g.syntax)
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup), Error: func(error) {}}
	_, _ = config.Check(importPath, fset, syntax, &info) // errors went to Error
	for _, f := range again {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			r, ok := n.(*ast.RangeStmt)
			if !ok || !overMap(f, r.X, &info) || orderFree.MatchString(f.lineText(r.Pos())) {
				return true
			}
			report(f, r.Pos(), "ranges over a map, whose order differs from run to run; range over a sorted slice, "+
				"or end the line with // order-free: and why")
			return true
		})
	}
}

func overMap(f *file, x ast.Expr, info *types.Info) bool {
	if call, ok := x.(*ast.CallExpr); ok {
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
			if pkg, ok := selector.X.(*ast.Ident); ok && pkg.Name == "maps" && f.importName("maps") == "maps" {
				return true
			}
		}
	}
	typed, ok := info.Types[x]
	if !ok || typed.Type == nil {
		return false
	}
	_, isMap := typed.Type.Underlying().(*types.Map)
	return isMap
}

// exports returns where the compiled form of everything that packages import is found.
func exports(t *testing.T, dirs []string, exist map[string][]*file) importer.Lookup {
	t.Helper()
	args := []string{"list", "-e", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}"}
	for _, dir := range dirs {
		if len(exist[dir]) > 0 {
			args = append(args, "./"+dir)
		}
	}
	command := exec.Command("go", args...)
	command.Dir = root(t)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list -export: %v", err)
	}
	archive := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if importPath, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			archive[importPath] = file
		}
	}
	return func(importPath string) (io.ReadCloser, error) {
		name, ok := archive[importPath]
		if !ok {
			return nil, fmt.Errorf("%w: %s", errNotCompiled, importPath)
		}
		return os.Open(name)
	}
}

var errNotCompiled = errors.New("tidy: no compiled form")
