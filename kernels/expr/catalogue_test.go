package expr

import (
	"strings"
	"testing"
)

// testCatalogue has one operator of every shape.
func testCatalogue() *Catalogue {
	x := Param{Name: "x", Kind: ParamSeries}
	w := Param{Name: "w", Kind: ParamWindow}
	ddof := Param{Name: "ddof", Kind: ParamInteger, Min: 0, Max: 1, Optional: true}
	return NewCatalogue(
		[]string{"bid", "ask", "bid_size", "ask_size", "mid", "spread", "price", "size"},
		[]Operator{
			{Name: "abs", Params: []Param{x}},
			{Name: "sign", Params: []Param{x}},
			{Name: "imbalance", Reads: []string{"bid_size", "ask_size"}},
			{Name: "where", Params: []Param{{Name: "c", Kind: ParamCondition}, {Name: "a", Kind: ParamSeries}, {Name: "b", Kind: ParamSeries}}},
			{Name: "crosses", Params: []Param{x, {Name: "c", Kind: ParamSeries}}, Result: KindCondition, Stateful: true},
			{Name: "prev", Params: []Param{x, {Name: "n", Kind: ParamSamples, Optional: true, Default: 1}}, Stateful: true},
			{Name: "ema", Params: []Param{x, {Name: "n", Kind: ParamSamples}}, Stateful: true},
			{Name: "sma", Params: []Param{x, w}, Stateful: true},
			{Name: "vwap", Params: []Param{{Name: "w", Kind: ParamWindow, Anchored: true}}, Stateful: true, Reads: []string{"price", "size"}},
			{Name: "cooldown", Params: []Param{{Name: "c", Kind: ParamCondition}, {Name: "d", Kind: ParamDuration}}, Result: KindCondition, Stateful: true},
			{Name: "bands", Params: []Param{x, {Name: "k", Kind: ParamNumber, Least: 0.5, Most: 10, Optional: true, DefaultNumber: 2}}, Stateful: true},
			{Name: "waits", Params: []Param{x, {Name: "d", Kind: ParamDuration, Optional: true, Default: 1e9}}, Stateful: true},
			{Name: "std", Params: []Param{x, w, ddof}, Stateful: true, Restrict: func(s []Setting) string {
				if s[0].Count == 1 && s[1].Count == 1 {
					return "std with ddof=1 needs a window of at least 2 samples"
				}
				return ""
			}},
			{Name: "zscore", Params: []Param{x, {Name: "w", Kind: ParamWindow, Min: 2}}, Stateful: true},
			{Name: "ofi", Params: []Param{w}, Stateful: true, Reads: []string{"bid", "bid_size", "ask", "ask_size"}},
		},
	)
}

func TestCheckName(t *testing.T) {
	c := testCatalogue()
	for name, want := range map[string]string{
		"flow":                    "",
		"_x9":                     "",
		"":                        "a signal needs a name",
		"9x":                      "is not a name",
		"a-b":                     "is not a name",
		"Flow":                    "is not a name",
		"value":                   "is a word of the language",
		"let":                     "is a word of the language",
		"mid":                     "is a field",
		"ema":                     "is an operator",
		strings.Repeat("a", 65):   "name is too long",
		strings.Repeat("a", 64):   "",
		"self":                    "is a word of the language",
		"self_":                   "",
		"naïve":                   "is not a name",
		"and":                     "is a word of the language",
		"imbalance":               "is an operator",
		"abs\x00":                 "is not a name",
		"a\nb":                    "is not a name",
		"with space":              "is not a name",
		"x.y":                     "is not a name",
		"undefined_is_no_keyword": "",
	} {
		got := c.CheckName(name)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("CheckName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNewCatalogueRefusesBadLists(t *testing.T) {
	series := Param{Name: "x", Kind: ParamSeries}
	for name, build := range map[string]func(){
		"field twice":         func() { NewCatalogue([]string{"a", "a"}, nil) },
		"reserved field":      func() { NewCatalogue([]string{"value"}, nil) },
		"operator is a field": func() { NewCatalogue([]string{"a"}, []Operator{{Name: "a"}}) },
		"operator twice":      func() { NewCatalogue(nil, []Operator{{Name: "a"}, {Name: "a"}}) },
		"optional series": func() {
			NewCatalogue(nil, []Operator{{Name: "a", Params: []Param{{Name: "x", Kind: ParamSeries, Optional: true}}}})
		},
		"optional before required": func() {
			NewCatalogue(nil, []Operator{{Name: "a", Params: []Param{{Name: "n", Kind: ParamSamples, Optional: true}, series}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			build()
		})
	}
}
