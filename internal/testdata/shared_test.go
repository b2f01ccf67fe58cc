package testdata

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// layout makes <temp>/main with a go.mod and a package folder, <temp>/shared/data/a/b.txt, and works in the package folder.
func layout(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	for _, dir := range []string{"main/internal/pkg", "shared/data/a"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"main/go.mod", "shared/data/a/b.txt"} {
		if err := os.WriteFile(filepath.Join(top, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(top, "main/internal/pkg"))
	return top
}

func TestSharedFinds(t *testing.T) {
	top := layout(t)
	if got, want := Shared(t, "a", "b.txt"), filepath.Join(top, "shared/data/a/b.txt"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := Shared(t), filepath.Join(top, "shared/data"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSharedSkipsWhatIsAbsent(t *testing.T) {
	layout(t)
	var skipped bool
	t.Run("absent", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Shared(t, "a", "absent.txt")
		t.Error("went on without the file")
	})
	if !skipped {
		t.Error("not skipped")
	}
}

func TestRootAbsent(t *testing.T) {
	t.Chdir(t.TempDir())
	if root, err := Root(); !errors.Is(err, errNoRoot) {
		t.Errorf("%s, %v", root, err)
	}
}
