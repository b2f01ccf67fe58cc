package examples

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

var update = flag.Bool("update", false, "rewrite testdata and what is generated in docs/examples")

// example is a configuration of docs/examples, and what its page says about when it is evaluated.
type example struct {
	name    string
	signals []string    // in the order of the configuration; the last is what the page is about
	kinds   []feed.Kind // of the instrument's own ticks that evaluate it
	also    []string    // symbols of others whose quotes evaluate it
	clockNs int64       // evaluated at multiples of this instead
	seldom  bool        // most of those ticks do not update the value

	rewarm rewarm
	market func(tape *tape) *tape // changes the recorded market; nil: as it is
}

// rewarm is what must pass, at the start and after a gap, before the value is defined again.
type rewarm struct {
	ticks int   // of the instrument itself, of the kinds
	ns    int64 // of engine time
	holds bool  // nothing: the next tick evaluates it
}

const (
	quote = feed.KindQuote
	trade = feed.KindTrade
)

var all = []example{
	{
		name: "01-order-flow-zscore", signals: []string{"order_flow"}, kinds: []feed.Kind{quote},
		rewarm: rewarm{ticks: 500, ns: 1e9},
	},
	{
		name: "02-lead-lag", signals: []string{"follow", "lead"}, kinds: []feed.Kind{quote}, also: []string{"BTCUSDT"},
		rewarm: rewarm{ticks: 300, ns: 2e9}, market: binanceNames,
	},
	{
		name: "03-session-vwap", signals: []string{"vwap_deviation"}, kinds: []feed.Kind{quote, trade},
		rewarm: rewarm{holds: true},
	},
	{
		name: "04-volume-clock", signals: []string{"volume_pressure"}, kinds: []feed.Kind{trade}, seldom: true,
		rewarm: rewarm{ticks: 5},
	},
	{
		name: "05-pairs-spread", signals: []string{"hedge", "pair"}, kinds: []feed.Kind{quote}, also: []string{"SIM000"},
		rewarm: rewarm{ns: 19e9}, // 20 s, in steps of 1/64
	},
	{name: "06-scaled-momentum", signals: []string{"momentum"}, clockNs: 1e9, rewarm: rewarm{ns: 10e9}},
	{name: "07-microprice-drift", signals: []string{"drift"}, kinds: []feed.Kind{quote}, rewarm: rewarm{holds: true}},
	{
		name: "08-buy-sell-intensity", signals: []string{"hurry"}, kinds: []feed.Kind{trade},
		rewarm: rewarm{ns: 8e9},
	},
	{
		name: "09-breakout", signals: []string{"breakout"}, kinds: []feed.Kind{trade}, seldom: true,
		rewarm: rewarm{ns: 20e9},
	},
	{name: "10-book-pressure-reversal", signals: []string{"reversal"}, kinds: []feed.Kind{quote}, rewarm: rewarm{holds: true}},
}

// binanceNames gives the instruments of the recorded market the names of the perpetual future and of spot pairs.
func binanceNames(r *tape) *tape {
	r.symbols = []feed.Symbol{
		{Venue: "binance-usdm", Name: "BTCUSDT"},
		{Venue: "binance", Name: "BTCUSDT"},
		{Venue: "binance", Name: "ETHUSDT"},
		{Venue: "binance", Name: "SOLUSDT"},
	}
	return r
}

func (x *example) tape(t testing.TB) *tape {
	t.Helper()
	market := recordedMarket(t)
	if x.market != nil {
		market = x.market(market)
	}
	return market
}

// TestReplaysToFixedHash: every example decides something on the recorded market, and the same everywhere.
func TestReplaysToFixedHash(t *testing.T) {
	var got strings.Builder
	for i := range all {
		x := &all[i]
		t.Run(x.name, func(t *testing.T) {
			market := x.tape(t)
			c, base := load(t, x.name)
			var first result
			for k, shape := range shapes {
				run := base
				run.Mode, run.Lanes, run.Batch = shape.mode, shape.lanes, shape.batch
				r := market.replay(t, run)
				if k == 0 {
					first = r
				} else if r.hash != first.hash {
					t.Errorf("%s decides %d signals of hash %s, %s %d of %s", shape.name, len(r.decided), r.hash, shapes[0].name, len(first.decided), first.hash)
				}
			}
			for k := range c.Signals {
				n := 0
				for j := range first.decided {
					if first.decided[j].Signal == c.Signals[k].Name {
						n++
					}
				}
				if n == 0 {
					t.Errorf("signal %s decided nothing", c.Signals[k].Name)
				}
			}
			fmt.Fprintf(&got, "%s %d %s\n", x.name, len(first.decided), first.hash)
		})
	}
	if !t.Failed() {
		golden(t, filepath.Join("testdata", "hashes.txt"), got.String())
	}
}

// golden compares text with a file, or rewrites it.
func golden(t *testing.T, path, got string) {
	t.Helper()
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
	if !bytes.Equal(want, []byte(got)) {
		t.Errorf("%s is\n%s\nwant\n%s\n(go test -update if it should change: then signals change)", path, got, want)
	}
}
