package risk

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

var update = flag.Bool("update", false, "rewrite testdata")

// values is a Row for tests: the value of every quarter.
type values float64

func (v values) Value(quarter int) float64 { return float64(v) + float64(quarter) }

// collect is a Taker that keeps what it is given.
type collect struct {
	bodies     []signal.Body
	rejections []signal.Rejection
}

func (c *collect) Take(_ uint32, b *signal.Body) { c.bodies = append(c.bodies, *b) }

func (c *collect) Refuse(_ uint32, _ Gate, r *signal.Rejection) {
	c.rejections = append(c.rejections, *r)
}

// model is the desk's rules once more, in the plainest form: no masks, no dense tables.
type model struct {
	rules  []Rule
	states map[[2]int]*modelPair
	halted map[int]bool
	killed map[int]bool
}

type modelPair struct {
	open    bool
	until   int64
	passed  int64
	any     bool
	outputs uint64
}

func (m *model) pair(inst, sig int) *modelPair {
	key := [2]int{inst, sig}
	if m.states[key] == nil {
		m.states[key] = &modelPair{}
	}
	return m.states[key]
}

func (m *model) lapse(p *modelPair, sig int, now int64) {
	if p.open && m.rules[sig].ExpiresNs > 0 && now > p.until {
		p.open = false
	}
}

// fire returns what the desk must decide for one fired signal, or an empty string.
func (m *model) fire(inst, sig int, when, exit bool, now int64) string {
	p, r := m.pair(inst, sig), m.rules[sig]
	m.lapse(p, sig, now)
	if exit && p.open {
		p.open = false
		return m.out(p, inst, sig, "exit")
	}
	if !when || m.killed[sig] || m.halted[inst] {
		return ""
	}
	if r.ThrottleNs > 0 && p.any && now-p.passed < r.ThrottleNs {
		return ""
	}
	p.any, p.passed, p.until = true, now, now+r.ExpiresNs
	if p.open {
		return m.out(p, inst, sig, "update")
	}
	p.open = r.HasExit || r.ExpiresNs > 0
	return m.out(p, inst, sig, "enter")
}

func (m *model) withdraw(inst, sig int, now int64) string {
	p := m.pair(inst, sig)
	m.lapse(p, sig, now)
	if !p.open {
		return ""
	}
	p.open = false
	return m.out(p, inst, sig, "withdraw")
}

func (m *model) out(p *modelPair, inst, sig int, action string) string {
	p.outputs++
	return fmt.Sprintf("%s %d/%d #%d", action, inst, sig, p.outputs)
}

func TestDeskAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const instruments = 4
		names := []string{"D", "b/c", "A", "%"} // escaped order: %25, A, D, b%2Fc
		byName := []int{3, 2, 0, 1}
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Rule {
			return Rule{
				Name: "s", ThrottleNs: rapid.Int64Range(0, 20).Draw(t, "throttle"),
				ExpiresNs: rapid.Int64Range(0, 1).Draw(t, "expires") * rapid.Int64Range(1, 30).Draw(t, "for"),
				HasExit:   rapid.Bool().Draw(t, "exit"), SideQuarter: -1, StrengthQuarter: -1,
			}
		}), 1, 3).Draw(t, "rules")
		for i := range rules {
			rules[i].Name = strconv.Itoa(i)
		}
		var taken collect
		desk, err := NewDesk(Config{Partition: "p", Rules: rules, Instruments: instruments, GatesOn: true}, &taken)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			desk.Define(uint32(i), feed.Symbol{Venue: "v", Name: name}, uint16(i%2), false)
		}
		m := &model{rules: rules, states: map[[2]int]*modelPair{}, halted: map[int]bool{}, killed: map[int]bool{}}
		var got, want []string
		now := int64(0)
		for seq := 1; seq <= 60; seq++ {
			now += rapid.Int64Range(0, 12).Draw(t, "dt")
			inst := rapid.IntRange(0, instruments-1).Draw(t, "inst")
			e := Event{Sequence: uint64(seq), EngineNs: now, Instrument: uint32(inst), Source: uint16(inst % 2)}
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				e.Kind, e.Instrument = feed.KindGap, feed.AllInstruments
				for _, i := range byName {
					for s := range rules {
						if i%2 == inst%2 {
							want = append(want, m.withdraw(i, s, now))
						}
					}
				}
			case 1:
				e.Kind = feed.KindStatus
				halt := rapid.Bool().Draw(t, "halt")
				e.F[0], m.halted[inst] = 2, halt
				if halt {
					e.F[0] = 1
					for s := range rules {
						want = append(want, m.withdraw(inst, s, now))
					}
				}
			case 2:
				sig, kill := rapid.IntRange(0, len(rules)-1).Draw(t, "sig"), rapid.Bool().Draw(t, "kill")
				e.Kind, e.Instrument, e.F = feed.KindControl, feed.AllInstruments, [4]float64{2, 3, float64(sig)}
				m.killed[sig] = kill
				if kill {
					e.F[0] = 1
					for _, i := range byName {
						want = append(want, m.withdraw(i, sig, now))
					}
				}
			default:
				e.Kind, e.QuoteFresh, e.F = feed.KindQuote, true, [4]float64{1, 1, 2, 1}
				f := Fired{
					When: rapid.Uint64Range(0, 1<<len(rules)-1).Draw(t, "when"), Exit: rapid.Uint64Range(0, 1<<len(rules)-1).Draw(t, "exits"),
				}
				for s := range rules {
					want = append(want, m.fire(inst, s, f.When>>s&1 != 0, f.Exit>>s&1 != 0, now))
				}
				desk.Apply(&e, f, values(0))
			}
			if e.Kind != feed.KindQuote {
				desk.Apply(&e, Fired{}, nil)
			}
		}
		for _, b := range taken.bodies {
			got = append(got, fmt.Sprintf("%s %d/%s #%d", b.Action, slices.Index(names, b.Symbol), b.Signal, b.OutputSequence))
		}
		want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
		if !slices.Equal(got, want) {
			t.Fatalf("decided %q\nthe model says %q", got, want)
		}
	})
}

func TestDeskDoesNotAllocate(t *testing.T) {
	var count counter
	desk, err := NewDesk(Config{
		Partition: "p", Instruments: 2, GatesOn: true, Limits: Limits{StaleNs: 5},
		Rules: []Rule{{Name: "s", HasExit: true, SideQuarter: 4, StrengthQuarter: 5, ValueQuarter: 3, UsesQuote: true}},
	}, &count)
	if err != nil {
		t.Fatal(err)
	}
	desk.Define(0, feed.Symbol{Venue: "v", Name: "A"}, 1, false)
	e := Event{Kind: feed.KindQuote, QuoteFresh: true, F: [4]float64{1, 1, 2, 1}}
	row := values(1)
	var r Row = &row
	gap := Event{Kind: feed.KindGap, Instrument: feed.AllInstruments, Source: 1}
	if n := testing.AllocsPerRun(100, func() {
		e.Sequence++
		e.EngineNs++
		gap.Sequence, gap.EngineNs = e.Sequence, e.EngineNs
		desk.Apply(&e, Fired{When: 1, Suppressed: 1}, r)
		desk.Apply(&gap, Fired{}, nil)
		desk.Apply(&e, Fired{When: 1}, r)
		desk.Apply(&e, Fired{Exit: 1}, r)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if count == 0 {
		t.Error("nothing was decided: the test exercises nothing")
	}
}

type counter int

func (c *counter) Take(uint32, *signal.Body) { *c++ }

func TestConfigValidate(t *testing.T) {
	good := Config{Partition: "p", Instruments: 1, Rules: []Rule{{Name: "a"}}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Config){
		"partition":   func(c *Config) { c.Partition = "" },
		"instruments": func(c *Config) { c.Instruments = 0 },
		"stale":       func(c *Config) { c.StaleNs = -1 },
		"rules":       func(c *Config) { c.Rules = make([]Rule, SignalsMax+1) },
		"name":        func(c *Config) { c.Rules = []Rule{{}} },
		"throttle":    func(c *Config) { c.Rules = []Rule{{Name: "a", ThrottleNs: -1}} },
	} {
		bad := good
		spoil(&bad)
		if _, err := NewDesk(bad, &collect{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
