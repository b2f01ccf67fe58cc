package cuda

import (
	"regexp"
	"strings"

	"github.com/sigengine/sigengine/kernels/program"
)

var (
	headers  = regexp.MustCompile(`(?m)^\.(version|target|address_size) .*\n`)
	externs  = regexp.MustCompile(`\.extern \.func[^;]*;\n?`)
	comments = regexp.MustCompile(`(?m)^\s*//.*\n`)
)

// Whole returns one PTX module with a skeleton kernel, the windows and a program for so many warps: the driver's compiler
// sees all of it, so it can inline what linking would leave as calls.
func Whole(skeleton Module, p *program.Program, warps int) string {
	return Merge(Windows.PTX(), Emit(p, ProgramName, warps), skeleton.PTX())
}

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
