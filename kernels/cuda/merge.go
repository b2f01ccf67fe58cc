package cuda

import (
	"regexp"
	"strings"
)

var (
	headers  = regexp.MustCompile(`(?m)^\.(version|target|address_size) .*\n`)
	externs  = regexp.MustCompile(`\.extern \.func[^;]*;\n?`)
	comments = regexp.MustCompile(`(?m)^\s*//.*\n`)
)

// Merge joins modules, callees first: one header, and no declarations of what is there.
func Merge(modules ...string) string {
	var b strings.Builder
	b.WriteString(".version " + ptxVersion + "\n.target " + ptxTarget + "\n.address_size 64\n")
	for _, m := range modules {
		for _, drop := range []*regexp.Regexp{headers, externs, comments} {
			m = drop.ReplaceAllString(m, "")
		}
		b.WriteString(m)
	}
	return b.String()
}
