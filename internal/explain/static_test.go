package explain

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/kernels"
)

// TestStatic: testdata/static/*.yaml explained, as text and as JSON.
func TestStatic(t *testing.T) {
	files, err := filepath.Glob("testdata/static/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no configurations in testdata/static")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, err := config.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			report, err := Static(c, nil, strings.Contains(file, "listing"))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(file, "listing") {
				withoutCatalogue(report)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", report.String())
			if !strings.Contains(file, "listing") {
				return // one as JSON will do
			}
			text, err := json.MarshalIndent(report, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".json", string(text)+"\n")
		})
	}
}

// withoutCatalogue leaves out what the catalogue says and what its operators cost: neither is this package's.
func withoutCatalogue(r *Report) {
	for i := range r.Nodes {
		r.Nodes[i].Doc = ""
	}
	for i := range r.Operators {
		r.Operators[i] = Operator{Usage: r.Operators[i].Usage, Summary: "…"}
	}
	for i := range r.Signals {
		r.Signals[i].Cost = Cost{}
	}
	r.Program = Cost{}
	if r.Remote != nil {
		r.Remote = &Cost{}
	}
}

// TestCatalogueIsQuoted: what is said of operators and fields is what the catalogue says.
func TestCatalogueIsQuoted(t *testing.T) {
	c, err := config.Load("testdata/static/two.yaml")
	if err != nil {
		t.Fatal(err)
	}
	report, err := Static(c, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	catalogue := kernels.NewCatalogue()
	text := report.String()
	for i := range report.Operators {
		o := &report.Operators[i]
		doc := catalogue.Operator(o.Name).Doc
		if o.Summary != doc.Summary || o.Formula != doc.Formula || o.Source != doc.Source || o.Convention != doc.Convention || o.WarmUp != doc.WarmUp {
			t.Errorf("%+v, the catalogue has %+v", o, doc)
		}
		for _, line := range []string{doc.Summary, doc.Formula, doc.Source, doc.Convention, doc.WarmUp} {
			if line != "-" && !strings.Contains(text, line+"\n") {
				t.Errorf("%s: no line %q", o.Name, line)
			}
		}
	}
	for i := range report.Nodes {
		n := &report.Nodes[i]
		if field := catalogue.Field(n.Name); field != nil && n.Doc != field.Doc {
			t.Errorf("%s: %q, the catalogue has %q", n.Name, n.Doc, field.Doc)
		}
	}
	compiled, err := c.Compile()
	if err != nil || report.Program != costOf(kernels.CostOf(compiled.Program)) || report.Program.StateBytes != 8*compiled.Program.StateWords {
		t.Errorf("%+v, %v", report.Program, err)
	}
	if len(report.Operators) < 4 {
		t.Error("the test shows little")
	}
}

func TestStaticSignals(t *testing.T) {
	c, err := config.Parse("six.yaml", []byte(sixConfig(t)), nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Static(c, []string{"flow", "shock"}, false)
	if err != nil || len(report.Signals) != 2 || report.Signals[0].Name != "flow" || report.Signals[1].Name != "shock" {
		t.Fatalf("%+v, %v", report, err)
	}
	ids := map[int]bool{}
	for _, n := range report.Nodes {
		for _, arg := range n.Args {
			if !ids[arg] {
				t.Errorf("node %d comes before its argument %d", n.ID, arg)
			}
		}
		ids[n.ID] = true
	}
	for _, s := range report.Signals {
		for _, p := range s.Parts {
			if !ids[p.Node] {
				t.Errorf("%s of %s is no node", p.Name, s.Name)
			}
		}
	}
	if _, err := Static(c, []string{"flwo"}, false); err == nil || err.Error() != `there is no signal "flwo"; did you mean flow?` {
		t.Error(err)
	}
	if _, err := Static(c, []string{"x"}, false); err == nil || !strings.Contains(err.Error(), "there are: reversion, flow, ") {
		t.Error(err)
	}
}

// TestWarmUpIsMeasured: what the made-up market shows is what the operators' definitions say.
func TestWarmUpIsMeasured(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"mid", "Its value is defined from the first quote on."},
		{"sma(mid, 20)", "Its value is defined from the quote number 20 on."},
		{"ema(price, 20)", "Its value is defined from the trade number 20 on."},
		{"diff(mid, 2)", "Its value is defined from the third quote on."},
		{"sma(ema(mid, 10), 20)", "Its value is defined from the quote number 29 on."},
		{"sma(mid, 3) - sma(price, 5)", "Its value is defined after 5 quotes and 5 trades that come in turn."},
		{"sma(mid, 5000)", "Its value is defined from the quote number 5000 on."},
		{"sma(mid, 1m)", "Its value is defined after about 1m of engine time, if ticks keep coming."},
		{"sma(mid, 0 * 1 + 1m)", ""},
	} {
		text := "version: 1\nfeeds: [{name: a, subject: md.a, codec: json}]\nsignals: [{name: s, value: \"" + c.value + "\", when: value > 0, for: \"*\"}]\n"
		parsed, err := config.Parse("t.yaml", []byte(text), nil)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s is no mistake", c.value)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		report, err := Static(parsed, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Signals[0].WarmUp; got != c.want {
			t.Errorf("%s: %s\nwant %s", c.value, got, c.want)
		}
	}
}

// TestWarmUpOfNodes: steps, or time where a window of time is what is waited for.
func TestWarmUpOfNodes(t *testing.T) {
	for text, want := range map[string]string{
		"sma(mid, 20)": "at step 20", "prev(mid, 2)": "at step 3", "sma(mid, 30s)": "30s after its first step",
		"crosses(mid, 100)": "at its first step", "cooldown(mid > 0, 5s)": "at its first step",
	} {
		value := text
		if strings.HasPrefix(text, "c") {
			value = "where(" + text + ", 1, 0)"
		}
		c, err := config.Parse("t.yaml", []byte("version: 1\nfeeds: [{name: a, subject: md.a, codec: json}]\nsignals: [{name: s, value: \""+value+"\", when: value > 0, for: \"*\"}]\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := Static(c, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, n := range report.Nodes {
			if n.State && strings.HasPrefix(text, n.Name+"(") {
				found = true
				if n.WarmUp != want {
					t.Errorf("%s: defined %s, want %s", text, n.WarmUp, want)
				}
			}
		}
		if !found {
			t.Errorf("%s is no node", text)
		}
	}
}
