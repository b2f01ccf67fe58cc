package expr

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected text in testdata")

// A testdata file is a list of cases: a command line, the text of one expression, ----, the expected output,
// an empty line. Lines that begin with # before a command are comments.
type testCase struct {
	comment, command, input, want string
	line                          int
}

func readCases(t *testing.T, path string) []testCase {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []testCase
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines); {
		var c testCase
		for i < len(lines) && (lines[i] == "" || strings.HasPrefix(lines[i], "#")) {
			c.comment += lines[i] + "\n"
			i++
		}
		if i >= len(lines) {
			break
		}
		c.comment = strings.TrimSpace(c.comment)
		c.command, c.line = lines[i], i+1
		i++
		var input, want []string
		for ; i < len(lines) && lines[i] != "----"; i++ {
			input = append(input, lines[i])
		}
		for i++; i < len(lines) && lines[i] != ""; i++ {
			want = append(want, lines[i])
		}
		c.input = strings.Join(input, "\n")
		c.want = strings.Join(want, "\n")
		cases = append(cases, c)
	}
	return cases
}

func writeCases(t *testing.T, path string, cases []testCase) {
	t.Helper()
	var b strings.Builder
	for _, c := range cases {
		if c.comment != "" {
			b.WriteString(c.comment + "\n")
		}
		b.WriteString(c.command + "\n" + c.input + "\n----\n" + c.want + "\n\n")
	}
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(b.String(), "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runCase parses and checks as the command says, in the middle of a small configuration.
func runCase(c testCase) string {
	g := NewGraph()
	env := Env{Part: c.command, Self: "flow", Value: None, Names: map[string]Ref{}, Later: []string{"pressure"}}
	catalogue := testCatalogue()
	earlier, _ := Parse("mid - bid")
	env.Names["reversion"], _ = Check(g, earlier, catalogue, Env{Part: "value", Value: None})
	if c.command == "when" || c.command == "exit" || c.command == "side" || c.command == "strength" {
		value, _ := Parse("spread / mid")
		env.Value, _ = Check(g, value, catalogue, Env{Part: "value", Value: None})
	}
	if c.command == "when" || c.command == "exit" {
		env.Want = KindCondition
	}
	env.Vary = c.command == "varying"
	env.Lets, env.Params = testNames(g, catalogue)
	switch c.command {
	case "on":
		var on On
		if errs := on.Item(catalogue, c.input, env); len(errs) > 0 {
			return renderAll(c.input, errs)
		}
		return fmt.Sprintf("%+v", on)
	case "let":
		lets := NewLets([]string{"first", "tested", "last"})
		lets.Define(g, catalogue, "ema(mid, 20)", Env{})
		if errs := lets.Define(g, catalogue, c.input, Env{}); len(errs) > 0 {
			return renderAll(c.input, errs)
		}
		return "ok"
	case "params":
		constant, err := ParseConstant(c.input)
		if err != nil {
			return renderAll(c.input, []Error{*err})
		}
		return fmt.Sprintf("%v %s", constant.Value, durationText(constant.DurationNs))
	case "clocked":
		env.ClockNs, env.OnClock = 100e6, true
	case "live":
		env.Live = []Instrument{{"cme", "ES"}}
	}
	e, err := Parse(c.input)
	if c.command == "parse" && err == nil {
		return String(e)
	}
	if err != nil {
		return strings.TrimSuffix(Render(c.input, *err), "\n")
	}
	ref, errs := Check(g, e, catalogue, env)
	if len(errs) == 0 && ref == None {
		return "no node and no mistake"
	}
	if len(errs) == 0 {
		return g.Text(ref)
	}
	return renderAll(c.input, errs)
}

// testNames are the lets and parameters that the cases use.
func testNames(g *Graph, catalogue *Catalogue) (*Lets, map[string]*Constant) {
	lets := NewLets([]string{"base", "wide", "half_minute", "today", "es", "broken", "later"})
	for _, text := range []string{"ema(mid, 20)", "spread > 5", "30s", "session", `ref("cme", "ES")`, "mide"} {
		lets.Define(g, catalogue, text, Env{})
	}
	params := map[string]*Constant{}
	for name, text := range map[string]string{"entry": "2.5", "n": "20", "d": "5s", "own": "3"} {
		constant, err := ParseConstant(text)
		if err != nil {
			panic(err)
		}
		constant.Overridden = name == "own"
		params[name] = &constant
	}
	return lets, params
}

func renderAll(source string, errs []Error) string {
	var b strings.Builder
	for _, e := range errs {
		b.WriteString(Render(source, e))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestDataDriven(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			cases := readCases(t, path)
			for i, c := range cases {
				got := runCase(c)
				if *update {
					cases[i].want = got
				} else if got != c.want {
					t.Errorf("%s:%d: %s %s\ngot:\n%s\nwant:\n%s", path, c.line, c.command, c.input, got, c.want)
				}
			}
			if *update {
				writeCases(t, path, cases)
			}
		})
	}
}
