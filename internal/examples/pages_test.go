package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/explain"
)

// headings are what every page answers, in this order.
var headings = []string{
	"## What it looks for", "## Configuration", "## What evaluates it", "## What it publishes", "## How to run it", "## What to watch out for",
}

// TestPages: every configuration has a page that shows it as it is, with what `explain -c` says of it.
func TestPages(t *testing.T) {
	for i := range all {
		x := &all[i]
		t.Run(x.name, func(t *testing.T) {
			path := filepath.Join(folder(t), x.name+".md")
			page := read(t, path)
			text := page
			text = generated(t, text, "configuration", "```yaml\n"+read(t, filepath.Join(folder(t), x.name+".yaml"))+"```\n")
			text = generated(t, text, "evaluation", evaluation(t, x))
			switch {
			case text == page:
			case *update:
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("%s is out of date: go test ./internal/examples -update", path)
			}
			at := 0
			for _, heading := range headings {
				next := strings.Index(page[at:], "\n"+heading+"\n")
				if next < 0 {
					t.Fatalf("no %q, or out of order", heading)
				}
				at += next
			}
			if !strings.Contains(page, x.name+".yaml") {
				t.Errorf("the page does not name %s.yaml", x.name)
			}
		})
	}
}

// evaluation is what explain says of an example's signals.
func evaluation(t *testing.T, x *example) string {
	t.Helper()
	c, _ := load(t, x.name)
	report, err := explain.Static(c, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var b strings.Builder
	b.WriteString("| signal | evaluated | cost of its own |\n|---|---|---|\n")
	for i := range report.Signals {
		s := &report.Signals[i]
		names = append(names, s.Name)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, cell(s.Evaluated), s.Cost)
	}
	if !slices.Equal(names, x.signals) {
		t.Errorf("signals %v, want %v", names, x.signals)
	}
	return b.String()
}

// cell makes a text fit into a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// generated replaces what is between the marks of a name.
func generated(t *testing.T, page, name, text string) string {
	t.Helper()
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("no %q … %q", begin, end)
	}
	return before + begin + "\n" + text + "\n" + end + after
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestIndex: the folder holds the examples and nothing else, and its index links to every page.
func TestIndex(t *testing.T) {
	index := read(t, filepath.Join(folder(t), "README.md"))
	want := []string{"README.md"}
	for i := range all {
		want = append(want, all[i].name+".md", all[i].name+".yaml")
		if link := "(" + all[i].name + ".md)"; !strings.Contains(index, link) {
			t.Errorf("the index has no link %s", link)
		}
	}
	entries, err := os.ReadDir(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("docs/examples holds %v, want %v", got, want)
	}
}
