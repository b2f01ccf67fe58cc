package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckGates: check --journal says what gates refuse under the journal's configuration, and under another.
func TestCheckGates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	var demo commandLine
	if code := demo.run(t.Context(), "demo", "--for", "1s", "--rate", "5000", "--json", "--journal", dir); code != exitOK {
		t.Fatalf("demo: code %d, %s", code, demo.err.String())
	}
	strict := writeFile(t, "strict.yaml", `version: 1
feeds: [{name: md, subject: md.>}]
signals: [{name: flow, value: mid, when: value > 0}]
risk: {spread: 0.0000001}
`)
	var c commandLine
	if code := c.run(t.Context(), "check", "--journal", dir, "-c", strict, "--json"); code != exitOK {
		t.Fatalf("code %d, %s", code, c.err.String())
	}
	var r gatesReport
	if err := json.Unmarshal([]byte(c.out.String()), &r); err != nil {
		t.Fatal(err)
	}
	if r.Ticks == 0 || r.Passed != 0 || r.Refused == 0 || len(r.Gates) == 0 || r.Gates[0].Gate != "spread" || r.Gates[0].Signal != "flow" ||
		r.Gates[0].Reason != r.Refused || r.Gates[0].First.Sequence == "" || r.Gates[0].First.Value == nil || len(r.Silent) < 10 || len(r.Off) < 5 {
		t.Errorf("%+v", r)
	}
	var text commandLine
	if code := text.run(t.Context(), "check", "--journal", dir); code != exitOK {
		t.Fatalf("code %d, %s", code, text.err.String())
	}
	for _, want := range []string{"enters and updates that pass ", "throttle   ", "first  tick ", "refused nothing: sequence, value, kill, ", "off: drawdown, hours, "} {
		if !strings.Contains(text.out.String(), want) {
			t.Errorf("no %q in\n%s", want, text.out.String())
		}
	}
	var none commandLine
	if code := none.run(t.Context(), "check", "--journal", t.TempDir()); code != exitUsage || !strings.Contains(none.err.String(), "holds no journal") {
		t.Errorf("code %d, %s", code, none.err.String())
	}
}
