package engine

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/risk"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestSlots runs testdata/slots/*.txt: what the sequencer stages for a script of ticks. The scripts are golden journals
// in words: silence, boundaries jumped over, ties of boundary and tick, references, sessions, gaps.
func TestSlots(t *testing.T) {
	files, err := filepath.Glob("testdata/slots/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, found := strings.Cut(string(text), "----\n")
			if !found {
				t.Fatal("no line of four dashes")
			}
			got := runSlots(t, input)
			if *update {
				if err := os.WriteFile(file, []byte(input+"----\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

// slotScript interprets a script.
type slotScript struct {
	t       *testing.T
	config  Config
	s       *sequencer
	e       *Engine
	ids     map[string]uint32
	out     strings.Builder
	seen    uint64
	applies map[string]uint64
}

func runSlots(t *testing.T, input string) string {
	s := &slotScript{t: t, config: Default(), ids: map[string]uint32{}, applies: map[string]uint64{}}
	s.config.Instruments, s.config.Mode = 16, ModeFused
	s.config.Desk = risk.Config{Partition: "p", Instruments: 16}
	for line := range strings.Lines(input) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			s.run(line)
		}
	}
	return s.out.String()
}

func (s *slotScript) run(line string) {
	words := strings.Fields(line)
	args := map[string]string{}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		args[key] = value
	}
	switch words[0] {
	case "exchange": // engine time follows exchange time
		s.config.TimeBase = feed.TimeExchange
	case "clock": // clock PERIOD signals=MASK
		s.config.Clocks = append(s.config.Clocks, Clock{PeriodNs: s.int(words[1]), Signals: uint64(s.int(args["signals"]))})
	case "reference": // reference NAME signals=MASK: the last value of F0 of its quotes
		s.config.References.List = append(s.config.References.List, Reference{
			Symbol: feed.Symbol{Venue: "v", Name: words[1]}, Bit: 0, Row: program.RowFirst,
			Quarter: program.SlotQuartersBase + len(s.config.References.List), Signals: uint64(s.int(args["signals"])),
		})
	case "fanout":
		s.config.References.FanOut = int(s.int(words[1]))
	case "session": // session PERIOD: a reset at every multiple
		period := s.int(words[1])
		s.config.NextReset = func(after int64) int64 { return (floorDiv(after, period) + 1) * period }
	case "define": // define NAME source=N signals=MASK
		s.define(words[1], args)
	default:
		s.tick(words[0], args)
	}
}

func (s *slotScript) int(text string) int64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// start makes the engine when the configuration is complete.
func (s *slotScript) start() {
	if s.e != nil {
		return
	}
	b := program.NewBuilder()
	b.EmitMask(program.RowWhen, b.ConstI(0))
	for i := range s.config.References.List { // makes the slot wide enough
		q := b.AllocRow()
		b.Emit(q, b.ConstM(true), b.Canon(b.Slot(program.SlotQuartersBase+i)))
	}
	s.config.Program = s.build(b)
	if len(s.config.References.List) > 0 {
		r := program.NewBuilder()
		quote := r.Ieq(r.And(r.Ctl(), r.ConstI(program.CtlFreshQuote)), r.ConstI(program.CtlFreshQuote))
		word := r.AllocState(1, feed.CanonicalNaN)
		value := r.Sel(quote, r.Canon(r.Slot(0)), r.Load(word, program.F))
		r.Store(word, value)
		r.EmitMask(program.RowWhen, r.And(r.ConstI(1), quote))
		r.Emit(r.AllocRow(), r.ConstM(true), value)
		s.config.References.Program = s.build(r)
	}
	s.config.Applies = func(symbol feed.Symbol) (uint64, bool) { return s.applies[symbol.Name], false }
	var err error
	if s.e, err = New(s.config, Ports{Clock: feed.NewManualClock(0)}); err != nil {
		s.t.Fatal(err)
	}
	s.s = s.e.sequencer
}

func (s *slotScript) build(b *program.Builder) *program.Program {
	p, err := b.Build()
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *slotScript) define(name string, args map[string]string) {
	s.applies[name] = uint64(s.int(args["signals"]))
	s.start()
	id, known := s.ids[name]
	if !known {
		id = uint32(len(s.ids))
		s.ids[name] = id
	}
	s.s.define(id, uint16(s.int(args["source"])), feed.Symbol{Venue: "v", Name: name})
}

// tick applies a tick: KIND NAME? t=TIME x=EXCHANGE source=N f=F0 more
func (s *slotScript) tick(kind string, args map[string]string) {
	s.start()
	tick := feed.Tick{
		Seq: s.s.sequence + 1, ReceiveNs: s.int(args["t"]), ExchangeNs: s.int(args["x"]), Instrument: feed.AllInstruments,
		Source: uint16(s.int(args["source"])),
	}
	for name, id := range s.ids {
		if _, ok := args[name]; ok {
			tick.Instrument = id
		}
	}
	if _, ok := args["more"]; ok {
		tick.Flags = feed.FlagMore
	}
	value := s.int(args["f"])
	tick.F = [4]float64{float64(value)}
	switch kind {
	case "quote":
		tick.Kind = feed.KindQuote
	case "trade":
		tick.Kind = feed.KindTrade
	case "depth":
		tick.Kind = feed.KindDepth
	case "gap":
		tick.Kind = feed.KindGap
	case "beat":
		tick.Kind = feed.KindHeartbeat
	case "reset":
		tick.Kind, tick.F[0] = feed.KindStatus, float64(feed.StatusReset)
	default:
		s.t.Fatalf("unknown command %q", kind)
	}
	s.s.apply(&tick)
	s.print()
}

// print shows the slots staged since the last time.
func (s *slotScript) print() {
	l := s.s.lanes[0]
	for ; s.seen < l.stagedBy; s.seen++ {
		at, capacity := s.seen&l.mask, l.mask+1
		quarter := func(q int) program.Quarter { return l.memory.In[at+uint64(q)*capacity] }
		fmt.Fprintf(&s.out, "seq %d: %s at %d%s", s.s.sequence, s.nameOf(quarter(0).Aux), int64(quarter(program.SlotTime).Value), words(quarter(1).Aux))
		if clocks := quarter(2).Aux; clocks != 0 {
			fmt.Fprintf(&s.out, " clocks=%b", clocks)
		}
		for i := range s.config.References.List {
			q := quarter(program.SlotQuartersBase + i)
			fmt.Fprintf(&s.out, " ref%d=%v", i, math.Float64frombits(q.Value))
			if q.Aux&referenceFresh != 0 {
				fmt.Fprint(&s.out, "(fresh)")
			}
			if q.Aux&referenceGap != 0 {
				fmt.Fprint(&s.out, "(gap)")
			}
		}
		fmt.Fprintln(&s.out)
	}
	s.e.pipeline.kick()
}

func (s *slotScript) nameOf(index uint32) string {
	for name, id := range s.ids {
		if id == index {
			return name
		}
	}
	return "?"
}

// words spells out a control word.
func words(control uint32) string {
	var b strings.Builder
	if kind := feed.Kind(control & program.CtlKindMask); kind != feed.KindInvalid {
		fmt.Fprintf(&b, " %s", kind)
	}
	for _, bit := range []struct {
		bit  uint32
		name string
	}{
		{program.CtlGap, "gap"},
		{program.CtlSessionReset, "reset"},
		{program.CtlFreshQuote, "fresh-quote"},
		{program.CtlFreshTrade, "fresh-trade"},
		{program.CtlFreshBook, "fresh-book"},
		{program.CtlClockEvaluation, "clock"},
		{program.CtlRefEvaluation, "reference"},
	} {
		if control&bit.bit != 0 {
			fmt.Fprintf(&b, " %s", bit.name)
		}
	}
	return b.String()
}

// TestFloorDiv: engine time before 1970 has boundaries too.
func TestFloorDiv(t *testing.T) {
	for _, c := range [][3]int64{{7, 3, 2}, {-7, 3, -3}, {-6, 3, -2}, {0, 3, 0}, {6, 3, 2}} {
		if got := floorDiv(c[0], c[1]); got != c[2] {
			t.Errorf("floorDiv(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
