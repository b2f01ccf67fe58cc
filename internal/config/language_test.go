package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels"
	"pgregory.net/rapid"
)

const language = `
version: 1
session: {reset: "17:00", zone: America/New_York}
let:
  fast: ema(mid, 20)
  wide: spread > 5
signals:
  - name: a
    value: of(ref("cme", "ES"), fast) - fast
    when: value > entry and not wide
    on: [self, 'ref("cme", "ES")']
    params: {entry: 2.5, spare: 1}
    exit: value < spare
    overrides:
      - for: binance.BTC*
        params: {entry: 3, spare: 2bp}
      - for: [binance.BTCUSDT, cme.*]
        params: {entry: 1 + 3}
  - name: b
    value: sma(bid_size, session)
    when: value > 0
    on: clock(100ms)
`

func TestParseLanguageKeys(t *testing.T) {
	c := mustParse(t, language)
	if want := (Session{"17:00", "America/New_York"}); c.Session != want {
		t.Errorf("%+v", c.Session)
	}
	if want := []Named{{"fast", "ema(mid, 20)"}, {"wide", "spread > 5"}}; !reflect.DeepEqual(c.Let, want) {
		t.Errorf("%+v", c.Let)
	}
	a := c.Signals[0]
	if want := []string{"self", `ref("cme", "ES")`}; !reflect.DeepEqual(a.On, want) {
		t.Errorf("%q", a.On)
	}
	if want := []Named{{"entry", "2.5"}, {"spare", "1"}}; !reflect.DeepEqual(a.Params, want) {
		t.Errorf("%+v", a.Params)
	}
	want := []Override{
		{[]Pattern{{"binance", "BTC*"}}, []Named{{"entry", "3"}, {"spare", "2bp"}}},
		{[]Pattern{{"binance", "BTCUSDT"}, {"cme", "*"}}, []Named{{"entry", "1 + 3"}}},
	}
	if !reflect.DeepEqual(a.Overrides, want) {
		t.Errorf("%+v", a.Overrides)
	}
	if want := []string{"clock(100ms)"}; !reflect.DeepEqual(c.Signals[1].On, want) {
		t.Errorf("%q", c.Signals[1].On)
	}
	again := mustParse(t, c.String())
	again.origins, c.origins = nil, nil
	if !reflect.DeepEqual(c, again) {
		t.Errorf("printed and read again:\n%+v\n%+v\n%s", c, again, c)
	}
}

func TestParamValue(t *testing.T) {
	c := mustParse(t, language)
	compiled, err := c.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if len(compiled.Params) != 2 || compiled.Params[0].Name != "entry" || compiled.Params[0].Default != 2.5 || compiled.Params[1].Name != "spare" {
		t.Fatalf("%+v", compiled.Params)
	}
	for _, k := range []struct {
		venue, symbol string
		entry, spare  float64
	}{
		{"binance", "ETHUSDT", 2.5, 1},
		{"binance", "BTCUSDC", 3, 0.0002},
		{"binance", "BTCUSDT", 4, 0.0002}, // the last that fits wins, for each parameter
		{"cme", "ES", 4, 1},
	} {
		entry, spare := c.ParamValue(compiled.Params[0], k.venue, k.symbol), c.ParamValue(compiled.Params[1], k.venue, k.symbol)
		if entry != k.entry || spare != k.spare {
			t.Errorf("%s.%s: %v and %v, want %v and %v", k.venue, k.symbol, entry, spare, k.entry, k.spare)
		}
	}
}

func TestSession(t *testing.T) {
	c := mustParse(t, language)
	if hour, minute, second, err := c.Session.TimeOfDay(); err != nil || hour != 17 || minute != 0 || second != 0 {
		t.Error(hour, minute, second, err)
	}
	if zone, err := c.Session.Location(); err != nil || zone.String() != "America/New_York" {
		t.Error(zone, err)
	}
	if !c.Session.Configured() || (Session{}).Configured() {
		t.Error("configured")
	}
	for text, ok := range map[string]bool{
		"08:30:15": true, "00:00": true, "23:59:59": true, "24:00": false, "8:30": false, "12": false, "": false, "12:60": false, "5pm": false,
	} {
		if _, _, _, err := (Session{Reset: text}).TimeOfDay(); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestGlobsMeet holds the test of two patterns to names: a name that both match means that they meet, and of patterns over two
// letters every meeting has a short witness.
func TestGlobsMeet(t *testing.T) {
	var names []string
	for n := range 7 {
		for bits := range 1 << n {
			name := ""
			for i := range n {
				name += string("ab"[bits>>i&1])
			}
			names = append(names, name)
		}
	}
	glob := rapid.StringMatching(`[ab*]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := glob.Draw(t, "a"), glob.Draw(t, "b")
		witness := false
		for _, name := range names {
			witness = witness || globMatch(a, name) && globMatch(b, name)
		}
		if globsMeet(a, b) != witness {
			t.Fatalf("globsMeet(%q, %q) = %t, a name for both: %t", a, b, !witness, witness)
		}
	})
}

// TestCompileOptions: what is configured reaches the compiler.
func TestCompileOptions(t *testing.T) {
	c := mustParse(t, language)
	compiled, err := c.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if len(compiled.Clocks) != 1 || len(compiled.References) != 1 || !compiled.UsesSession || compiled.ReferenceProgram == nil {
		t.Errorf("%+v", compiled)
	}
	c.Session = Session{}
	if _, err := c.Compile(); err == nil || !strings.Contains(err.Error(), "no session is configured") {
		t.Error(err)
	}
	var none kernels.Param
	if got := c.ParamValue(none, "a", "b"); got != 0 {
		t.Error(got)
	}
}
