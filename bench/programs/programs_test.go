package programs

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/signal"
)

var update = flag.Bool("update", false, "rewrite testdata")

func parse(t testing.TB, name, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte("version: 1\nsignals_file: "+name+"\nfeeds: [{name: market, subject: md.>, codec: json}]\n"),
		func(string) ([]byte, error) { return []byte(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTwentyListing fixes every instruction of the twenty signals. A change here changes what the figures measure.
func TestTwentyListing(t *testing.T) {
	c, err := parse(t, "twenty.yaml", Twenty).Compile()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range c.Signals {
		s := &c.Signals[i]
		fmt.Fprintf(&b, "# signal %d %s: value quarter %d, side %d, exit %t, quotes %t, trades %t\n", i, s.Name, s.ValueQuarter, s.SideQuarter, s.HasExit, s.UsesQuote, s.UsesTrade)
		for _, part := range []struct {
			name string
			e    kernels.Expression
		}{{"value", s.Value}, {"when", s.When}, {"exit", s.Exit}, {"side", s.Side}} {
			if part.e.Text != "" {
				fmt.Fprintf(&b, "#   %s %x %s\n", part.name, part.e.Hash[:8], part.e.Text)
			}
		}
	}
	p := c.Program
	fmt.Fprintf(&b, "# before %d, recur %d, after %d instructions; %d windows; %d state words\n",
		len(p.Before), len(p.Recur), len(p.After), len(p.Windows), p.StateWords)
	golden(t, "twenty.listing", b.String()+p.String())
}

// TestTwentyRunAnywhere: no clock, no other instrument and no session, so that any market and every executor will do.
func TestTwentyRunAnywhere(t *testing.T) {
	c, err := parse(t, "twenty.yaml", Twenty).Compile()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Signals) != 20 || len(c.Clocks) > 0 || len(c.References) > 0 || c.UsesSession || len(c.Params) > 0 {
		t.Errorf("%d signals, clocks %v, references %v, session %t, parameters %v", len(c.Signals), c.Clocks, c.References, c.UsesSession, c.Params)
	}
}

// decidedBy counts what each signal decides.
type decidedBy map[string]int

// Emit counts one signal.
func (d decidedBy) Emit(_ uint32, body *signal.Body, _ int64) uint8 {
	d[body.Signal]++
	return 0
}

// TestTwentyDecide: every one of the twenty decides something on a simulated market, the same in two shapes of the engine.
func TestTwentyDecide(t *testing.T) {
	c := parse(t, "twenty.yaml", Twenty)
	base, _, err := setup.Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	var hashes []string
	for _, shape := range []struct {
		mode         engine.Mode
		lanes, batch int
	}{{engine.ModeFused, 1, 64}, {engine.ModeStaged, 2, 7}} {
		run := base
		run.Mode, run.Lanes, run.Batch = shape.mode, shape.lanes, shape.batch
		decided, hash := replay(t, run)
		for i := range c.Signals {
			if name := c.Signals[i].Name; decided[name] == 0 {
				t.Errorf("%s decides nothing", name)
			}
		}
		hashes = append(hashes, hash)
	}
	if hashes[0] != hashes[1] {
		t.Errorf("hashes %s and %s", hashes[0], hashes[1])
	}
	golden(t, "twenty.hash", hashes[0]+"\n")
}

// replay runs a minute of a simulated market through an engine.
func replay(t *testing.T, c engine.Config) (decidedBy, string) {
	t.Helper()
	const ticks = 60_000
	s := sim.Default()
	s.Instruments, s.RatePerSecond = 4, 1000
	market, err := sim.New(s)
	if err != nil {
		t.Fatal(err)
	}
	decided := decidedBy{}
	e, err := engine.New(c, engine.Ports{Clock: feed.NewManualClock(0), Sink: decided})
	if err != nil {
		t.Fatal(err)
	}
	recording := e.Record()
	for i := range market.Len() {
		if err := recording.Define(uint32(i), 1, market.Symbol(i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range ticks {
		var tick feed.Tick
		market.Next(&tick)
		tick.Seq, tick.Source, tick.ReceiveNs = uint64(i+1), 1, tick.ExchangeNs
		if err := recording.Tick(&tick); err != nil {
			t.Fatal(err)
		}
	}
	recording.Close()
	hash, _ := e.OutputHash()
	return decided, hash
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{"six.yaml": Six, "twenty.yaml": Twenty} {
		if text, ok := Named(name); !ok || text != want {
			t.Errorf("%s is not the text that it names", name)
		}
	}
	if _, ok := Named("seven.yaml"); ok {
		t.Error("there is no seven.yaml")
	}
}

// golden compares text with a file of testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(want, []byte(got)) {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s:%d: got %q (go test -update if it should change)", path, i+1, a[i])
		}
	}
	t.Fatalf("%s has more lines than it should", path)
}
