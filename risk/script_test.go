package risk

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/signal"
)

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
		Partition: "p", Generation: 1, Instruments: 8, Limits: Limits{StaleNs: 1000, RefuseCrossed: true}, GatesOn: true,
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
	told   bool // refusals are part of the output
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
		if has(args, "side") {
			s.config.Rules[len(s.config.Rules)-1].SideQuarter = sideQuarter
		}
	case "limit":
		s.limit(args)
	case "tell":
		s.told = true
	case "state":
		fmt.Fprintf(&s.out, "-: the desk is %s\n", s.desk.State(s.int(args["t"])))
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
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	n, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return int64(n)
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
		ExchangeNs: s.int(args["exchange"]), ReceiveNs: s.int(args["t"]), Late: has(args, "late"), ClockTrails: has(args, "trails"), Gap: has(args, "gap"),
	}
	if args["i"] == "all" || args["i"] == "" {
		e.Instrument = feed.AllInstruments
	}
	switch kind {
	case "quote":
		e.Kind, e.QuoteFresh = feed.KindQuote, !has(args, "more")
		e.F = [4]float64{s.float(args["bid"]), 1, s.float(args["ask"]), 1}
		if has(args, "sizes") {
			e.F[1], e.F[3] = s.float(args["sizes"]), s.float(args["sizes"])
		}
	case "clock":
	case "fill", "position", "alive":
		e.Kind = feed.KindFill
		e.F = [4]float64{s.float(args["price"]), s.float(args["size"]), map[string]float64{"fill": 0, "position": 1, "alive": 2}[kind]}
	case "fact", "over":
		e.Kind = feed.KindControl
		e.F = [4]float64{float64(feed.ControlFact), float64(slices.Index(factWords, args["is"])), map[string]float64{"fact": 1, "over": 0}[kind]}
		if has(args, "source") {
			e.F[2] = s.float(args["source"])
		}
	case "trade":
		e.Kind, e.TradeFresh = feed.KindTrade, true
		e.F = [4]float64{s.float(args["price"]), 1, 1}
	case "gap":
		e.Kind = feed.KindGap
	case "halt", "resume", "open", "close", "reset":
		e.Kind = feed.KindStatus
		e.F[0] = map[string]float64{"halt": 1, "resume": 2, "open": 3, "close": 4, "reset": 5}[kind]
	case "kill", "unkill", "reduce", "latch", "garble":
		e.Kind = feed.KindControl
		verb := map[string]float64{"kill": 1, "unkill": 2, "reduce": 4, "latch": 5, "garble": 77}[kind]
		e.F = [4]float64{verb, s.float(args["scope"]), s.float(args["s"]), s.float(args["note"])}
	default:
		s.t.Fatalf("unknown command %q", kind)
	}
	s.desk.Apply(&e, Fired{When: s.mask(args["when"]), Exit: s.mask(args["exit"]), Suppressed: s.mask(args["supp"])}, &scriptRow{value: s.value(args), side: s.float(args["side"])})
	for _, r := range s.taken.rejections {
		if s.told {
			fmt.Fprintf(&s.out, "%d: %s %s.%s refused by %s, number %d\n", r.Sequence, r.Action, r.Signal, r.Symbol, r.Gate, r.Number)
		}
	}
	s.taken.rejections = s.taken.rejections[:0]
	for _, b := range s.taken.bodies {
		fmt.Fprintf(&s.out, "%d: %s %s.%s %s", b.Sequence, b.Action, b.Signal, b.Symbol, b.Flags)
		if b.Reason != signal.ReasonNone {
			fmt.Fprintf(&s.out, " reason=%s", b.Reason)
		}
		fmt.Fprintf(&s.out, " out=%d value=%v until=%d bid=%v ask=%v last=%v\n", b.OutputSequence, b.Value, b.ValidUntilNs, b.Bid, b.Ask, b.Last)
	}
	s.taken.bodies = s.taken.bodies[:0]
}

const sideQuarter = 1

// scriptRow is a row whose value and side the script says.
type scriptRow struct{ value, side float64 }

func (r *scriptRow) Value(quarter int) float64 {
	if quarter == sideQuarter {
		return r.side
	}
	return r.value
}

// value is what the script says, else the event's number and a bit more, so that no two are equal.
func (s *script) value(args map[string]string) float64 {
	if has(args, "value") {
		return s.float(args["value"])
	}
	return float64(s.seq) + 3
}

// factWords are the names of facts by number.
var factWords = []string{"", "peer", "recorder", "disk", "device", "latency", "deadman", "decode", "nonsense"}

// limit sets limits of every signal: those named.
func (s *script) limit(args map[string]string) {
	l := &s.config.Limits
	for key, set := range map[string]func(string){ // order-free: each sets its own
		"gap_ticks":  func(v string) { l.GapTicks = uint32(s.int(v)) },
		"warm":       func(v string) { l.WarmNs = s.int(v) },
		"warm_ticks": func(v string) { l.WarmTicks = uint32(s.int(v)) },
		"skew":       func(v string) { l.SkewNs = s.int(v) },
		"empty":      func(v string) { l.RefuseEmpty = v == "refuse" },
		"value_max":  func(v string) { l.ValueMax = s.float(v) },
		"spread":     func(v string) { l.Spread = s.float(v) },
		"collar":     func(v string) { l.Collar, l.CollarWindowNs = s.float(v), 300e9 },
		"velocity":   func(v string) { l.Velocity, l.VelocityWindowNs, l.VelocityHoldNs = s.float(v), 1e9, 5e9 },
		"duplicate":  func(v string) { l.DuplicateNs = s.int(v) },
		"step":       func(v string) { l.DuplicateStep = s.float(v) },
		"every":      func(v string) { l.RateNs = s.int(v) },
		"burst":      func(v string) { l.RateBurst = s.int(v) },
		"total":      func(v string) { s.config.TotalRateNs, s.config.TotalBurst = s.int(v), 2 },
		"entries":    func(v string) { l.RepeatCount, l.RepeatWindowNs = uint32(s.int(v)), 60e9 },
		"position":   func(v string) { l.PositionMax = s.float(v) },
		"size":       func(v string) { l.SignalSize = s.float(v) },
		"gross":      func(v string) { s.config.Budget.Gross = s.float(v) },
		"drawdown":   func(v string) { s.config.Budget.Drawdown = s.float(v) },
		"fills":      func(v string) { s.config.Budget.StaleNs = s.int(v) },
		"decode":     func(v string) { s.config.DecodeHoldNs = s.int(v) },
		"hours": func(v string) { // the first so much of every hour
			open := s.int(v)
			l.Hours = 1
			s.config.Hours = []Hours{func(now int64) (bool, int64) {
				hour := int64(3600e9)
				if now%hour < open {
					return true, now - now%hour + open
				}
				return false, now - now%hour + hour
			}}
		},
	} {
		if v, ok := args[key]; ok {
			set(v)
			delete(args, key)
		}
	}
	for key := range args { // order-free: any is wrong
		s.t.Fatalf("no limit %q", key)
	}
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
