package journal_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

var update = flag.Bool("update", false, "write golden files")

// goldenStore holds two runs of the story of writer_test.go: two segments.
func goldenStore(t testing.TB) *memstore.Store {
	t.Helper()
	store := new(memstore.Store)
	w := open(t, store, inlineOptions())
	story(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w = open(t, store, inlineOptions())
	appendTicks(w, 2)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return store
}

// TestGoldenBytes holds the format: these bytes change only with a new version.
func TestGoldenBytes(t *testing.T) {
	store := goldenStore(t)
	for index := uint64(1); index <= 2; index++ {
		name := journal.SegmentName(index)
		path := filepath.Join("testdata", name+".hex")
		got := hex.Dump(store.Bytes(name))
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s:\n%s", name, path, firstDifference(got, string(want)))
		}
	}
}

// TestGoldenReadable reads the golden files themselves: what was written then is read now.
func TestGoldenReadable(t *testing.T) {
	store := new(memstore.Store)
	for index := uint64(1); index <= 2; index++ {
		name := journal.SegmentName(index)
		store.Set(name, undump(t, filepath.Join("testdata", name+".hex")))
	}
	got, err := readAll(store)
	wantEOF(t, err)
	want, err := readAll(goldenStore(t))
	wantEOF(t, err)
	if !slices.Equal(got, want) {
		t.Errorf("read\n%q\nwant\n%q", got, want)
	}
}

// TestDocumentedBytes holds the dump in docs/journal.md to the golden file.
func TestDocumentedBytes(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "journal.md"))
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile(filepath.Join("testdata", journal.SegmentName(2)+".hex"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, golden) {
		t.Errorf("docs/journal.md does not show the bytes of testdata/%s.hex", journal.SegmentName(2))
	}
}

func undump(t testing.TB, path string) (contents []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if len(line) < 58 {
			continue // the size at the end
		}
		row, err := hex.DecodeString(strings.ReplaceAll(line[10:58], " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, row...)
	}
	return contents
}

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "got  " + a[i] + "\nwant " + b[i]
		}
	}
	return "one is longer"
}
