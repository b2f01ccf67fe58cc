package program

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite testdata")

func TestListingGoldens(t *testing.T) {
	for name, p := range map[string]*Program{
		"valid": validProgram(t), "six": sixSignals(t), "windows": everyWindow(t),
	} {
		path := filepath.Join("testdata", name+".listing")
		if *update {
			if err := os.WriteFile(path, []byte(p.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != string(want) {
			t.Errorf("%s differs from its golden (-update rewrites it):\n%s", name, p)
		}
		again, err := ParseListing(string(want))
		if err != nil {
			t.Fatal(err)
		}
		if again.Fingerprint() != p.Fingerprint() {
			t.Errorf("%s: fingerprint differs after a round trip", name)
		}
	}
}

func TestListingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		again, err := ParseListing("# a comment\n\n" + p.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		if again.String() != p.String() {
			t.Fatalf("round trip differs:\n%s\n%s", p, again)
		}
	})
}

func TestFingerprintSeesEverything(t *testing.T) {
	seen := map[[32]byte]string{}
	for name, spoil := range map[string]func(p *Program){
		"as is":    func(*Program) {},
		"init":     func(p *Program) { p.Init[0] = 7 },
		"window":   func(p *Program) { p.Windows[1].StepNs++ },
		"constant": func(p *Program) { p.Before[1].Imm ^= 1 },
		"operands": func(p *Program) { p.After[0].A, p.After[0].B = p.After[0].B, p.After[0].A },
	} {
		p := validProgram(t)
		spoil(p)
		if other, ok := seen[p.Fingerprint()]; ok {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		seen[p.Fingerprint()] = name
	}
}

func TestParseRefuses(t *testing.T) {
	good := validProgram(t).String()
	for name, c := range map[string]struct{ from, to, want string }{
		"version":       {"program 1", "program 2", "version 2"},
		"header":        {"slot=5", "slot=five", "line 1"},
		"state":         {"state=", "state=-", "line 1"},
		"huge state":    {"state=", "state=99999999", "line 1"},
		"order":         {"before:", "after:", "want init"},
		"part twice":    {"recur:", "before:", "next part"},
		"missing part":  {"after:", "#", "ends before part after"},
		"operation":     {"= ctl", "= ctrl", "unknown operation"},
		"fields":        {"= ctl", "= ctl v0", "wants 0 fields"},
		"value name":    {"and v0", "and x0", "want v"},
		"later value":   {"and v0", "and v77", "not defined before"},
		"spaces":        {"  v0 =", "   v0 =", "want"},
		"number format": {"const.i 0\n", "const.i 00\n", "want"},
		"trailing":      {"at=3\n", "at=3 \n", "not in the form"},
		"window name":   {"window w1", "window w5", "want window w1"},
		"aggregate":     {"samples sum", "samples total", "want window w0"},
		"init word":     {"init 1 ", "init 100000 ", "outside"},
		"init bits":     {"0x7ff8000000000000", "7ff8", "want 'init"},
		"verified too":  {"row=4", "row=2", "row quarters"},
	} {
		if !strings.Contains(good, c.from) {
			t.Fatalf("%s: no %q in\n%s", name, c.from, good)
		}
		_, err := ParseListing(strings.Replace(good, c.from, c.to, 1))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// FuzzParseListing: whatever is accepted verifies, prints back as it was, and runs.
func FuzzParseListing(f *testing.F) {
	f.Add(validProgram(f).String())
	f.Add(sixSignals(f).String())
	f.Add(everyWindow(f).String())
	f.Add("program 1 slot=5 row=3 state=1\nbefore:\n  v0 = const.i 0\nrecur:\nafter:\n  emitmask 0 v0\n  emitmask 1 v0\n  emitmask 2 v0\n")
	f.Add("program 1 slot=5 row=3 state=1\nbefore:\n  v0 = window w0 v0 v0 v0\nrecur:\nafter:\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseListing(text)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		if again, err := ParseListing(p.String()); err != nil || again.String() != p.String() {
			t.Fatalf("accepted text does not print back: %v", err)
		}
		if p.StateWords > 1<<16 {
			return
		}
		ex, err := NewExecutor(p, 2)
		if err != nil {
			t.Fatalf("accepted program does not run: %v", err)
		}
		lane := newLane(p, 8)
		lane.In[1].Aux = 1
		ex.Run(lane, 0, 3)
	})
}
