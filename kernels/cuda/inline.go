package cuda

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/sigengine/sigengine/kernels/program"
)

// Calls cost much beside what a window does for one tick: registers go through memory, and nothing is known of the
// arguments. So the text of what is called takes the place of the call: windows in the program, the program in the kernel.

// Inlined is Emit with the windows in it.
func Inlined(p *program.Program, name string, warps int) string {
	return inlineCalls(externs.ReplaceAllString(Emit(p, name, warps), ""), functionsOf(Windows.PTX()))
}

// Whole returns one PTX module with a skeleton kernel and a program for so many warps, in one piece.
func Whole(skeleton Module, p *program.Program, warps int) string {
	return Merge(inlineCalls(skeleton.PTX(), functionsOf(Inlined(p, ProgramName, warps))))
}

// function is a device function's text.
type function struct {
	parameters []string
	lines      []string // of the body, without the braces
}

var functionHead = regexp.MustCompile(`\.visible \.func (\w+)\(`)

// functionsOf returns the device functions of a module.
func functionsOf(module string) map[string]function {
	out := map[string]function{}
	for _, at := range functionHead.FindAllStringSubmatchIndex(module, -1) {
		name, rest := module[at[2]:at[3]], module[at[1]:]
		head, body, _ := strings.Cut(rest, "\n{\n")
		body, _, _ = strings.Cut(body, "\n}\n")
		var f function
		for _, line := range strings.Split(head, "\n") {
			if words := strings.Fields(line); len(words) > 2 && words[0] == ".param" {
				f.parameters = append(f.parameters, strings.TrimSuffix(words[2], ","))
			}
		}
		f.lines = strings.Split(body, "\n")
		out[name] = f
	}
	return out
}

var (
	argument = regexp.MustCompile(`^st\.param\.b(\d+)\s+\[[a-z]+(\d+)(?:\+0)?\],\s*(\S+);`)
	callee   = regexp.MustCompile(`call\.uni\s+(\w+),`)
)

// inlineCalls replaces every call of one of the functions. Calls of others stay.
func inlineCalls(module string, functions map[string]function) string {
	lines := strings.Split(module, "\n")
	var out []string
	calls := 0
	for i := 0; i < len(lines); i++ {
		end := callEnd(lines, i)
		if end < 0 {
			out = append(out, lines[i])
			continue
		}
		block := lines[i : end+1]
		name := callee.FindStringSubmatch(strings.Join(block, " "))
		f, known := functions[name[1]]
		if !known {
			out = append(out, block...)
		} else {
			out = append(out, inlineCall(block, f, calls)...)
			calls++
		}
		i = end
	}
	return strings.Join(takeRegisters(out), "\n")
}

// callEnd returns the line of the brace that ends the call that line i begins, or -1.
func callEnd(lines []string, i int) int {
	if !strings.HasPrefix(strings.TrimSpace(lines[i]), "{") || i+1 == len(lines) || !strings.HasPrefix(strings.TrimSpace(lines[i+1]), ".param") {
		return -1
	}
	for end := i; end < len(lines); end++ {
		if strings.HasPrefix(strings.TrimSpace(lines[end]), "}") {
			return end
		}
	}
	return -1
}

// inlineCall returns the lines of one call's function, with the arguments in registers of their own.
func inlineCall(block []string, f function, call int) []string {
	out := []string{"\t{"}
	place := func(k int) string { return fmt.Sprintf("%%in%d_%d", call, k) }
	var moves []string
	for _, line := range block[1 : len(block)-1] {
		line = strings.TrimSpace(line)
		if a := argument.FindStringSubmatch(line); a != nil {
			k, _ := strconv.Atoi(a[2])
			if a[3] == "%outputs" {
				continue
			}
			out = append(out, fmt.Sprintf("\t.reg .b%s %s;", a[1], place(k)))
			moves = append(moves, fmt.Sprintf("\tmov.b%s %s, %s;", a[1], place(k), a[3]))
		} else if strings.HasPrefix(line, "mov.") || strings.HasPrefix(line, "ld.") {
			moves = append(moves, "\t"+line)
		}
	}
	out = append(append(out, moves...), "\t{")
	out = append(out, f.body(call, place)...)
	return append(out, fmt.Sprintf("INLINED_%d:", call), "\t}", "\t}")
}

var (
	labelLine = regexp.MustCompile(`^(\$?\w+):`)
	branch    = regexp.MustCompile(`\b(bra(?:\.uni)?)\s+(\$?\w+);`)
	parameter = regexp.MustCompile(`ld\.param\.[a-z](\d+)\s+(%\w+), \[(\w+)\];`)
	stored    = regexp.MustCompile(`st\.([a-z])64\s+\[(%\w+)(?:\+(\d+))?\], (\S+);`)
)

// body returns a function's lines with labels of their own, arguments from registers, and outputs, if it has any, in
// registers %out0, %out1 and so on.
func (f *function) body(call int, argument func(int) string) []string {
	// A label has a line of its own.
	label := func(name string) string { return fmt.Sprintf("%s_%d", name, call) }
	index := map[string]int{}
	for k, name := range f.parameters {
		index[name] = k
	}
	outputs := map[string]bool{}
	var out []string
	for _, line := range f.lines {
		if l := labelLine.FindStringSubmatch(line); l != nil {
			out = append(out, label(l[1])+":")
			continue
		}
		if p := parameter.FindStringSubmatch(line); p != nil {
			if k := index[p[3]]; windowHas(f) && k == outputsParameter {
				outputs[p[2]] = true
			} else {
				out = append(out, fmt.Sprintf("\tmov.b%s %s, %s;", p[1], p[2], argument(k)))
			}
			continue
		}
		if s := stored.FindStringSubmatch(line); s != nil && outputs[s[2]] {
			at, _ := strconv.Atoi("0" + s[3])
			out = append(out, strings.Replace(line, s[0], fmt.Sprintf("mov.%s64 %%out%d, %s;", bitsOr(s[1]), at/8, s[4]), 1))
			continue
		}
		line = branch.ReplaceAllStringFunc(line, func(b string) string {
			m := branch.FindStringSubmatch(b)
			return m[1] + " " + label(m[2]) + ";"
		})
		if strings.TrimSpace(line) == "ret;" {
			line = fmt.Sprintf("\tbra INLINED_%d;", call)
		}
		if beyond.MatchString(line) || usesAny(line, outputs) {
			panic("cuda: the compiled windows have a line that cannot be put in place of a call: " + strings.TrimSpace(line))
		}
		out = append(out, line)
	}
	return out
}

// beyond matches what is left only if the compiler changed its ways: the constants and the committed text decide, not users.
var beyond = regexp.MustCompile(`\b(ret|call|brx|ld\.param)\b|\.branchtargets`)

// usesAny reports whether a line names one of the registers.
func usesAny(line string, registers map[string]bool) bool {
	for _, r := range register.FindAllString(line, -1) {
		if registers[r] {
			return true
		}
	}
	return false
}

var register = regexp.MustCompile(`%\w+`)

// outputsParameter is the number of a window function's parameter that says where outputs go.
const outputsParameter = 7

func windowHas(f *function) bool { return len(f.parameters) == outputsParameter+1 }

// bitsOr is the letter of a move: floating-point constants need f.
func bitsOr(letter string) string {
	if letter == "f" {
		return "f"
	}
	return "b"
}

var fromOutputs = regexp.MustCompile(`ld\.b64 (%\w+), \[%outputs\+(\d+)\];`)

// takeRegisters lets the program read windows' outputs from registers, and drops the memory that they were in, if nothing
// else is called.
func takeRegisters(lines []string) []string {
	for _, line := range lines {
		if strings.Contains(line, "call.uni sg_") {
			return lines
		}
	}
	var out []string
	for _, line := range lines {
		switch {
		case strings.Contains(line, "\t.local .align 8 .b8 outputs["):
			line = fmt.Sprintf("\t.reg .b64 %%out<%d>;", maxWindowOutputs)
		case strings.Contains(line, "%outputs") && !strings.Contains(line, "ld.b64"):
			continue
		default:
			if m := fromOutputs.FindStringSubmatch(line); m != nil {
				at, _ := strconv.Atoi(m[2])
				line = fmt.Sprintf("\tmov.b64 %s, %%out%d;", m[1], at/8)
			}
		}
		out = append(out, line)
	}
	return out
}
