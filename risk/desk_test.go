package risk

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
type collect struct{ bodies []signal.Body }

func (c *collect) Take(_ uint32, b *signal.Body) { c.bodies = append(c.bodies, *b) }

// script runs testdata/*.txt: commands, then ----, then what the desk decided.
func TestDeskScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runScript(t, file) })
	}
}

func runScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	input, want, found := strings.Cut(string(text), "----\n")
	if !found {
		t.Fatal("no line of four dashes")
	}
	s := &script{t: t, config: Config{
		Partition: "p", Generation: 1, Instruments: 8, StaleNs: 1000, RefuseCrossed: true, GatesOn: true,
	}}
	scanner := bufio.NewScanner(strings.NewReader(input))
	for scanner.Scan() {
		if line := strings.TrimSpace(scanner.Text()); line != "" && !strings.HasPrefix(line, "#") {
			s.run(line)
		}
	}
	s.counts()
	if *update {
		if err := os.WriteFile(file, []byte(input+"----\n"+s.out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if s.out.String() != want {
		t.Errorf("got:\n%swant:\n%s", s.out.String(), want)
	}
}

type script struct {
	t      *testing.T
	config Config
	desk   *Desk
	taken  collect
	seq    uint64
	out    strings.Builder
}

// run carries out one command: set, rule, define, or an event with its fired signals.
func (s *script) run(line string) {
	words := strings.Fields(line)
	args := map[string]string{}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		args[key] = value
	}
	switch words[0] {
	case "set":
		s.set(args)
	case "rule":
		s.config.Rules = append(s.config.Rules, Rule{
			Name: words[1], ThrottleNs: s.int(args["throttle"]), ExpiresNs: s.int(args["expires"]),
			HorizonNs: s.int(args["horizon"]), HasExit: has(args, "exit"),
			UsesQuote: has(args, "quote"), UsesTrade: has(args, "trade"),
			ValueQuarter: 3, SideQuarter: -1, StrengthQuarter: -1,
		})
	case "define":
		s.define(words[1:])
	default:
		s.event(words[0], args)
	}
}

func has(args map[string]string, key string) bool { _, ok := args[key]; return ok }

func (s *script) int(text string) int64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *script) float(text string) float64 {
	if text == "" {
		return 0
	}
	if text == "none" {
		return feed.NaN()
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

func (s *script) set(args map[string]string) {
	if has(args, "stale") {
		s.config.StaleNs = s.int(args["stale"])
	}
	if has(args, "locked") {
		s.config.RefuseLocked = args["locked"] == "refuse"
	}
	if has(args, "crossed") {
		s.config.RefuseCrossed = args["crossed"] == "refuse"
	}
	if has(args, "gates") {
		s.config.GatesOn = args["gates"] == "on"
	}
	if has(args, "kill") {
		s.config.KillAll = args["kill"] == "all"
	}
}

// define NAME ID SOURCE [killed]
func (s *script) define(words []string) {
	if s.desk == nil {
		desk, err := NewDesk(s.config, &s.taken)
		if err != nil {
			s.t.Fatal(err)
		}
		s.desk = desk
	}
	s.desk.Define(uint32(s.int(words[1])), feed.Symbol{Venue: "v", Name: words[0]}, uint16(s.int(words[2])), len(words) > 3)
}

func (s *script) event(kind string, args map[string]string) {
	s.seq++
	e := Event{
		Sequence: s.seq, EngineNs: s.int(args["t"]), Instrument: uint32(s.int(args["i"])), Source: uint16(s.int(args["src"])),
		Late: has(args, "late"), ClockTrails: has(args, "trails"), Gap: has(args, "gap"),
	}
	if args["i"] == "all" || args["i"] == "" {
		e.Instrument = feed.AllInstruments
	}
	switch kind {
	case "quote":
		e.Kind, e.QuoteFresh = feed.KindQuote, !has(args, "more")
		e.F = [4]float64{s.float(args["bid"]), 1, s.float(args["ask"]), 1}
	case "trade":
		e.Kind, e.TradeFresh = feed.KindTrade, true
		e.F = [4]float64{s.float(args["price"]), 1, 1}
	case "gap":
		e.Kind = feed.KindGap
	case "halt", "resume", "open", "close", "reset":
		e.Kind = feed.KindStatus
		e.F[0] = map[string]float64{"halt": 1, "resume": 2, "open": 3, "close": 4, "reset": 5}[kind]
	case "kill", "unkill", "garble":
		e.Kind = feed.KindControl
		e.F = [4]float64{map[string]float64{"kill": 1, "unkill": 2, "garble": 77}[kind], s.float(args["scope"]), s.float(args["s"])}
	default:
		s.t.Fatalf("unknown command %q", kind)
	}
	s.desk.Apply(&e, Fired{When: s.mask(args["when"]), Exit: s.mask(args["exit"]), Suppressed: s.mask(args["supp"])}, values(e.Sequence))
	for _, b := range s.taken.bodies {
		fmt.Fprintf(&s.out, "%d: %s %s.%s %s", b.Sequence, b.Action, b.Signal, b.Symbol, b.Flags)
		if b.Reason != signal.ReasonNone {
			fmt.Fprintf(&s.out, " reason=%s", b.Reason)
		}
		fmt.Fprintf(&s.out, " out=%d value=%v until=%d bid=%v ask=%v last=%v\n", b.OutputSequence, b.Value, b.ValidUntilNs, b.Bid, b.Ask, b.Last)
	}
	s.taken.bodies = s.taken.bodies[:0]
}

// mask reads a list of signal indices: 0,2.
func (s *script) mask(text string) uint64 {
	var m uint64
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		m |= 1 << s.int(part)
	}
	return m
}

func (s *script) counts() {
	c := s.desk.Counters()
	fmt.Fprintf(&s.out, "suppressed %d", c.Suppressed.Load())
	for g := GateNone + 1; g < GateCount; g++ {
		if n := c.Rejected[g].Load(); n > 0 {
			fmt.Fprintf(&s.out, " %s %d", g, n)
		}
	}
	fmt.Fprintln(&s.out)
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
		Partition: "p", Instruments: 2, GatesOn: true, StaleNs: 5,
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
