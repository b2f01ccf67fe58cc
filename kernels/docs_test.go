package kernels

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/expr"
	"go.yaml.in/yaml/v3"
)

const languagePage = "../docs/language.md"

// TestLanguagePage keeps the generated parts of the page equal to the catalogue.
func TestLanguagePage(t *testing.T) {
	page, err := os.ReadFile(languagePage)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for name, part := range map[string]string{
		"error": docError(t), "fields": docFields(NewCatalogue()), "operators": docOperators(t, NewCatalogue()),
	} {
		before, rest, found := strings.Cut(text, "<!-- generated: "+name+" -->\n")
		_, after, ended := strings.Cut(rest, "<!-- end -->\n")
		if !found || !ended {
			t.Fatalf("the page has no place for %s", name)
		}
		text = before + "<!-- generated: " + name + " -->\n\n" + part + "\n<!-- end -->\n" + after
	}
	golden(t, languagePage, text)
}

func docError(t *testing.T) string {
	const source = "abs(value) > 2.5 and spraed < 5bp * mid"
	_, errs := Compile([]SignalSpec{{Name: "a", Value: "mid", When: source}}, Options{})
	if len(errs) != 1 {
		t.Fatalf("%d errors", len(errs))
	}
	return "```\n" + expr.Render(source, errs[0].Mistake) + "```\n"
}

func docFields(c *Catalogue) string {
	var b strings.Builder
	b.WriteString("| field | fresh on | is |\n|---|---|---|\n")
	for _, f := range c.Fields {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, f.Source, f.Doc)
	}
	return b.String()
}

func docOperators(t *testing.T, c *Catalogue) string {
	var b strings.Builder
	for i := range c.Operators {
		o := &c.Operators[i]
		kind := "a " + o.Result.String()
		if o.Stateful {
			kind += ", with state"
		}
		fmt.Fprintf(&b, "### %s\n\n`%s` gives %s: %s.\n\n| | |\n|---|---|\n", o.Name, o.Usage(), kind, o.Doc.Summary)
		for _, row := range [][2]string{
			{"is", o.Doc.Formula},
			{"convention", o.Doc.Convention},
			{"warm-up", o.Doc.WarmUp},
			{"flat input", o.Doc.Flat},
			{"nothing to go by", o.Doc.Empty},
			{"source", o.Doc.Source},
			{"cost", docCost(t, o)},
		} {
			if row[1] != "-" {
				fmt.Fprintf(&b, "| %s | %s |\n", row[0], strings.ReplaceAll(row[1], "|", `\|`))
			}
		}
		if i < len(c.Operators)-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// docCost is what a program of the operator alone comes to.
func docCost(t *testing.T, o *Operator) string {
	call := exampleCall(o)
	p := mustCompile(t, watch(call)).Program
	return fmt.Sprintf("%d instructions a tick and %d bytes of state an instrument as the only signal, `%s`, fields included",
		len(p.Before)+len(p.Recur)+len(p.After), 8*p.StateWords, call)
}

func TestEveryOperatorIsDocumented(t *testing.T) {
	for _, o := range NewCatalogue().Operators {
		d := o.Doc
		for _, part := range []string{d.Summary, d.Formula, d.Source, d.Convention, d.WarmUp, d.Flat, d.Empty} {
			if part == "" || strings.HasSuffix(part, ".") {
				t.Errorf("%s: a part of the documentation is empty or ends in a full stop: %q", o.Name, part)
			}
		}
		if o.Stateful && d.WarmUp == "none" {
			t.Errorf("%s has state and says nothing of its warm-up", o.Name)
		}
	}
	for _, f := range NewCatalogue().Fields {
		if f.Doc == "" {
			t.Errorf("field %s is not documented", f.Name)
		}
	}
}

// TestLanguagePageExamples compiles the signals that the page shows.
func TestLanguagePageExamples(t *testing.T) {
	page, err := os.ReadFile(languagePage)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) == 0 {
		t.Fatal("the page has no example")
	}
	for _, block := range blocks {
		specs, options := parseFile(t, []byte(block[1]))
		_, errs := Compile(specs, options)
		for _, e := range errs {
			t.Errorf("%v\n%s", e.Error(), expr.Render(e.Text, e.Mistake))
		}
	}
}

// parseSpecs reads the signals of a configuration.
func parseSpecs(t testing.TB, data []byte) []SignalSpec {
	t.Helper()
	specs, _ := parseFile(t, data)
	return specs
}

// parseFile reads what a configuration says of signals, as package config does.
func parseFile(t testing.TB, data []byte) ([]SignalSpec, Options) {
	t.Helper()
	var file struct {
		Let     yaml.Node
		Signals []struct {
			Name, Value, When, Exit, Side, Strength string
			On                                      yaml.Node
			Params                                  yaml.Node
			Overrides                               []struct{ Params map[string]string }
		}
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var options Options
	for i := 0; i < len(file.Let.Content); i += 2 {
		options.Lets = append(options.Lets, LetSpec{file.Let.Content[i].Value, file.Let.Content[i+1].Value})
	}
	specs := make([]SignalSpec, len(file.Signals))
	for i, s := range file.Signals {
		specs[i] = SignalSpec{Name: s.Name, Value: s.Value, When: s.When, Exit: s.Exit, Side: s.Side, Strength: s.Strength}
		if s.On.Value != "" {
			specs[i].On = []string{s.On.Value}
		}
		for _, item := range s.On.Content {
			specs[i].On = append(specs[i].On, item.Value)
		}
		for k := 0; k < len(s.Params.Content); k += 2 {
			name := s.Params.Content[k].Value
			overridden := slices.ContainsFunc(s.Overrides, func(o struct{ Params map[string]string }) bool { return o.Params[name] != "" })
			specs[i].Params = append(specs[i].Params, ParamSpec{name, s.Params.Content[k+1].Value, overridden})
		}
	}
	return specs, options
}
