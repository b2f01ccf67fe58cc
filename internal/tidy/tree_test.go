package tidy

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sigengine/sigengine/internal/testdata"
)

const module = "github.com/sigengine/sigengine"

// topDir is the project's root, as seen from this package's folder, where its tests run.
const topDir = "../.."

// file is one Go file of the tree. Paths are relative to the project's root, with slashes.
type file struct {
	path   string
	dir    string
	name   string
	source []byte
	syntax *ast.File
	fset   *token.FileSet
}

func (f *file) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

func (f *file) lines() int { return bytes.Count(f.source, []byte("\n")) }

func (f *file) line(pos token.Pos) int { return f.fset.Position(pos).Line }

// lineText returns the text of the line that holds pos.
func (f *file) lineText(pos token.Pos) string {
	return strings.Split(string(f.source), "\n")[f.line(pos)-1]
}

// importName returns the name by which the file knows an imported package, "" if it does not import it.
func (f *file) importName(importPath string) string {
	for _, spec := range f.syntax.Imports {
		if strings.Trim(spec.Path.Value, `"`) != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

// report is what a rule found: a line of the tree and what to do about it.
type report func(f *file, pos token.Pos, message string)

func fail(t *testing.T) report {
	return func(f *file, pos token.Pos, message string) {
		t.Helper()
		t.Errorf("%s:%d: %s", f.path, f.line(pos), message)
	}
}

func parse(filePath string, source []byte) (*file, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, filePath, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &file{
		path: filePath, dir: path.Dir(filePath), name: path.Base(filePath),
		source: source, syntax: syntax, fset: fset,
	}, nil
}

// root returns the project's root.
func root(t *testing.T) string {
	t.Helper()
	dir, err := testdata.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// walk calls visit for every file of the project that is ours to keep tidy.
func walk(top string, visit func(relative string, read func() ([]byte, error)) error) error {
	return filepath.WalkDir(top, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			// .git is not ours, what begins with a dot or is named testdata is not code; .ci is ours.
			if full != top && strings.HasPrefix(name, ".") && name != ".ci" {
				return filepath.SkipDir
			}
			return nil
		}
		relative, err := filepath.Rel(top, full)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(relative), func() ([]byte, error) { return os.ReadFile(full) })
	})
}

// goFiles returns every Go file of the project, parsed once for all tests.
func goFiles(t *testing.T) []*file {
	t.Helper()
	top := root(t)
	parseOnce.Do(func() {
		parseErr = walk(top, func(relative string, read func() ([]byte, error)) error {
			inTestdata := strings.Contains("/"+relative, "/testdata/") && !strings.HasPrefix(relative, "internal/testdata/")
			if !strings.HasSuffix(relative, ".go") || inTestdata {
				return nil
			}
			source, err := read()
			if err != nil {
				return err
			}
			f, err := parse(relative, source)
			if err != nil {
				return err
			}
			parsed = append(parsed, f)
			return nil
		})
	})
	if parseErr != nil {
		t.Fatal(parseErr)
	}
	return parsed
}

var (
	parseOnce sync.Once
	parsed    []*file
	parseErr  error
)

// matches reports whether a relative path or package matches one of the patterns: exact, a path.Match pattern, or a
// folder and all below it, written folder/...
func matches(relative string, patterns ...string) bool {
	for _, pattern := range patterns {
		if folder, below := strings.CutSuffix(pattern, "/..."); below {
			if relative == folder || strings.HasPrefix(relative, folder+"/") {
				return true
			}
			continue
		}
		if ok, err := path.Match(pattern, relative); ok && err == nil {
			return true
		}
	}
	return false
}
