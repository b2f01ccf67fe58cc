package tidy

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// Lengths.
const (
	fileLinesMax     = 400
	testFileLinesMax = 600
	functionLinesMax = 70 // tests may be longer: tables
)

// systems and processors are the names the go tool takes as conditions at the end of a file's name.
var conditionNames = regexp.MustCompile(`_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|` +
	`solaris|wasip1|windows|386|amd64|arm|arm64|loong64|mips|mips64|mips64le|mipsle|ppc64|ppc64le|riscv64|s390x|wasm)` +
	`(_test)?\.go$`)

func TestFiles(t *testing.T) {
	for _, f := range goFiles(t) {
		checkLengths(f, fail(t))
		checkConditions(f, fail(t))
		checkFormat(f, fail(t))
	}
}

func checkLengths(f *file, report report) {
	if ast.IsGenerated(f.syntax) {
		return
	}
	limit := fileLinesMax
	if f.isTest() {
		limit = testFileLinesMax
	}
	if f.lines() > limit {
		report(f, f.syntax.Package, "file is too long; one idea a file")
	}
	if f.isTest() {
		return
	}
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && f.line(fn.End())-f.line(fn.Pos())+1 > functionLinesMax {
			report(f, fn.Pos(), "func "+fn.Name.Name+" is longer than a screen; name its parts")
		}
	}
}

// checkConditions reports a file that the go tool drops on some machines because of its name alone, as it does with
// rolling_windows.go.
func checkConditions(f *file, report report) {
	if conditionNames.MatchString(f.name) && !hasBuildLine(f) {
		report(f, f.syntax.Package, "the name is a build condition; say it in a //go:build line too, or choose another name")
	}
	if strings.HasPrefix(f.name, "_") || strings.HasPrefix(f.name, ".") {
		report(f, f.syntax.Package, "the go tool ignores a file of this name")
	}
}

func hasBuildLine(f *file) bool {
	for _, group := range f.syntax.Comments {
		if group.Pos() > f.syntax.Package {
			break
		}
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:build ") {
				return true
			}
		}
	}
	return false
}

func checkFormat(f *file, report report) {
	formatted, err := format.Source(f.source)
	if err != nil || !bytes.Equal(formatted, f.source) {
		report(f, f.syntax.Package, "gofmt would change it; run gofumpt -w")
	}
}

// buildsHere reports whether the file is part of its package on this machine.
func buildsHere(f *file) bool {
	context := build.Default
	ok, err := context.MatchFile(topDir+"/"+f.dir, f.name)
	return ok && err == nil
}

func parseInto(fset *token.FileSet, f *file) (*file, error) {
	syntax, err := parser.ParseFile(fset, f.path, f.source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	g := *f
	g.syntax, g.fset = syntax, fset
	return &g, nil
}

func TestEveryPackageIsDocumented(t *testing.T) {
	docs, files := map[string]*file{}, map[string]*file{}
	for _, f := range goFiles(t) {
		files[f.dir] = f
		if f.name == "doc.go" {
			docs[f.dir] = f
		}
	}
	for dir, f := range files {
		doc := docs[dir]
		switch {
		case doc == nil:
			fail(t)(f, f.syntax.Package, "package "+dir+" has no doc.go that says what it is for")
		case doc.syntax.Doc == nil:
			fail(t)(doc, doc.syntax.Package, "doc.go has no package comment")
		case !strings.HasPrefix(doc.syntax.Doc.Text(), "Package "+doc.syntax.Name.Name+" ") && doc.syntax.Name.Name != "main":
			fail(t)(doc, doc.syntax.Package, "the package comment begins: Package "+doc.syntax.Name.Name)
		}
	}
}

// A C file is ignored without cgo and breaks the build with it, which -race needs.
func TestNoStraySources(t *testing.T) {
	err := walk(root(t), func(relative string, _ func() ([]byte, error)) error {
		if regexp.MustCompile(`\.(c|cc|cpp|cxx|h|hpp|m|swig|f|f90)$`).MatchString(relative) && !matches(relative, "bench/...") {
			t.Errorf("%s: the go tool takes it for part of a package; CUDA sources end in .cu and .cuh", relative)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
