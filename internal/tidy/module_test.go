package tidy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// requirement is a line of go.mod: module, version, and whether only others need it.
var requirement = regexp.MustCompile(`^(?:require )?\t?([^\s/]+\.[^\s]+) v\S+( // indirect)?$`)

// What the tree imports is required directly, and nothing else is. That go.mod and go.sum are complete, `go mod tidy -diff`
// tells, which needs a network.
func TestModuleRequiresWhatIsImported(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, f := range goFiles(t) {
		for _, spec := range f.syntax.Imports {
			imports = append(imports, strings.Trim(spec.Path.Value, `"`))
		}
	}
	checkModule(string(text), imports, func(message string) { t.Error("go.mod: " + message + "; run go mod tidy") })
}

func checkModule(text string, imports []string, report func(message string)) {
	for line := range strings.Lines(text) {
		m := requirement.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		imported := false
		for _, i := range imports {
			imported = imported || otherAllowed(i, []string{m[1]})
		}
		switch indirect := m[2] != ""; {
		case imported && indirect:
			report(m[1] + " is imported but marked indirect")
		case !imported && !indirect:
			report(m[1] + " is not imported")
		}
	}
}
