package testdata

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// errNoRoot says that no folder above the test's holds a go.mod.
var errNoRoot = errors.New("testdata: no go.mod in this folder or above")

// Shared returns the path of a file or folder of the shared data, by the elements of its path. If it is not there, the
// test is skipped and says what it looked for.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(append([]string{filepath.Dir(root), "shared", "data"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("shared data absent: %v", err)
	}
	return path
}

// Root returns the project's root folder, found by walking up from the working folder; a test's is its package's.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errNoRoot
		}
		dir = parent
	}
}
