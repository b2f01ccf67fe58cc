package tidy

import (
	"bytes"
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// Written in two parts, so that this file does not find itself.
var (
	machinePaths = regexp.MustCompile(`(^|[^A-Za-z0-9._/-])/(wo` + `rk|ro` + `ot|ho` + `me/[a-z]+)/`)
	unfinished   = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)
)

func TestText(t *testing.T) {
	err := walk(root(t), func(relative string, read func() ([]byte, error)) error {
		text, err := read()
		if err != nil {
			return err
		}
		if bytes.IndexByte(text, 0) >= 0 || strings.Contains("/"+relative, "/testdata/") && !strings.HasSuffix(relative, ".go") {
			return nil // not text, or data
		}
		checkText(relative, string(text), func(line int, message string) { t.Errorf("%s:%d: %s", relative, line, message) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkText(relative, text string, report func(line int, message string)) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if machinePaths.MatchString(line) {
			report(n, "a path of one machine")
		}
		if matchesCode(relative) && unfinished.MatchString(line) {
			report(n, "finish it, or make it an issue")
		}
	}
}

func matchesCode(relative string) bool {
	for _, suffix := range []string{".go", ".cu", ".cuh", ".sh", ".s"} {
		if strings.HasSuffix(relative, suffix) {
			return true
		}
	}
	return false
}

func TestSkipsGiveAReason(t *testing.T) {
	for _, f := range goFiles(t) {
		checkSkips(f, fail(t))
	}
}

func checkSkips(f *file, report report) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		receiver, ok := selector.X.(*ast.Ident)
		if !ok || !strings.Contains(" t b tb f ", " "+receiver.Name+" ") {
			return true
		}
		switch name := selector.Sel.Name; {
		case name == "SkipNow", (name == "Skip" || name == "Skipf") && len(call.Args) == 0:
			report(f, call.Pos(), "a skipped test says why: "+receiver.Name+".Skip(\"reason\")")
		}
		return true
	})
}
