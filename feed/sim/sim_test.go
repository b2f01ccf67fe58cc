package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"pgregory.net/rapid"
)

// goldenHash is the first 100,000 ticks of Default(). It changes only when the market is changed on purpose,
// and must be the same on every processor.
const goldenHash = "fa3b3b6bf9fe00342cf5aecc03de320b62c75d54a2c90bdcd0642c571a1df7b5"

func mustNew(t testing.TB, config Config) *Market {
	t.Helper()
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func hashTicks(m *Market, count int) string {
	hash := sha256.New()
	var tick feed.Tick
	var line [56]byte
	for range count {
		seq := m.Next(&tick)
		binary.LittleEndian.PutUint64(line[0:], seq)
		binary.LittleEndian.PutUint64(line[8:], uint64(tick.ExchangeNs))
		binary.LittleEndian.PutUint32(line[16:], tick.Instrument)
		line[20], line[21] = byte(tick.Kind), byte(tick.Flags)
		for i, f := range tick.F {
			binary.LittleEndian.PutUint64(line[24+8*i:], math.Float64bits(f))
		}
		hash.Write(line[:])
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func TestGoldenStream(t *testing.T) {
	if got := hashTicks(mustNew(t, Default()), 100_000); got != goldenHash {
		t.Errorf("hash %s, want %s", got, goldenHash)
	}
}

func TestSeedDecides(t *testing.T) {
	config := Default()
	first := hashTicks(mustNew(t, config), 10_000)
	if again := hashTicks(mustNew(t, config), 10_000); again != first {
		t.Error("one seed, two streams")
	}
	config.Seed = 2
	if other := hashTicks(mustNew(t, config), 10_000); other == first {
		t.Error("two seeds, one stream")
	}
}

// view is what a receiver would know of one instrument; it checks the rules of the package comment.
type view struct {
	seq     uint64
	halted  bool
	resumed bool
}

type checker struct {
	views  []view
	lastNs int64
	stats  Stats
}

func (c *checker) check(t fataler, tick *feed.Tick, seq uint64) {
	if tick.ExchangeNs < c.lastNs {
		t.Fatalf("tick %d: time went back from %d to %d", c.stats.Ticks, c.lastNs, tick.ExchangeNs)
	}
	c.lastNs = tick.ExchangeNs
	if int(tick.Instrument) >= len(c.views) {
		t.Fatalf("tick %d: instrument %d of %d", c.stats.Ticks, tick.Instrument, len(c.views))
	}
	v := &c.views[tick.Instrument]
	if c.stats.Ticks < uint64(len(c.views)) && (uint64(tick.Instrument) != c.stats.Ticks || tick.Kind != feed.KindQuote) {
		t.Fatalf("opening tick %d is %v of instrument %d", c.stats.Ticks, tick.Kind, tick.Instrument)
	}
	if seq <= v.seq {
		t.Fatalf("tick %d: sequence %d after %d", c.stats.Ticks, seq, v.seq)
	}
	hole := seq - v.seq - 1
	v.seq = seq
	c.stats.Ticks++
	c.stats.LostInGaps += hole
	if tick.Kind == feed.KindGap {
		c.stats.DeclaredGaps++
		if hole == 0 || tick.F[0] != float64(feed.GapDeclared) || tick.F[1] != float64(hole) {
			t.Fatalf("gap %v over a hole of %d", tick.F, hole)
		}
	} else if hole > 0 {
		c.stats.SilentGaps++
	}
	if v.resumed && tick.Kind != feed.KindQuote {
		t.Fatalf("%v right after a resume", tick.Kind)
	}
	v.resumed = false
	c.checkKind(t, v, tick)
}

func (c *checker) checkKind(t fataler, v *view, tick *feed.Tick) {
	if v.halted && !(tick.Kind == feed.KindStatus && tick.F[0] == float64(feed.StatusResume)) {
		t.Fatalf("%v during a halt", tick.Kind)
	}
	switch tick.Kind {
	case feed.KindStatus:
		resume := tick.F[0] == float64(feed.StatusResume)
		if resume != v.halted {
			t.Fatalf("status %v while halted is %v", tick.F[0], v.halted)
		}
		v.halted, v.resumed = !resume, resume
		if resume {
			c.stats.Resumes++
		} else {
			c.stats.Halts++
		}
	case feed.KindQuote:
		c.stats.Quotes++
		c.checkQuote(t, tick)
	case feed.KindTrade:
		c.stats.Trades++
		if !(tick.F[0] > 0 && tick.F[1] > 0 && math.Abs(tick.F[2]) == 1) {
			t.Fatalf("trade %v", tick.F)
		}
	case feed.KindGap:
	default:
		t.Fatalf("kind %v", tick.Kind)
	}
}

func (c *checker) checkQuote(t fataler, tick *feed.Tick) {
	bid, bidSize, ask, askSize := tick.F[0], tick.F[1], tick.F[2], tick.F[3]
	if math.IsNaN(bid) || math.IsNaN(ask) {
		c.stats.AbsentSides++
		if math.IsNaN(bid) && bidSize != 0 || math.IsNaN(ask) && askSize != 0 || math.IsNaN(bid) && math.IsNaN(ask) {
			t.Fatalf("absent side %v", tick.F)
		}
		return
	}
	if !(bid > 0 && ask > 0 && bidSize > 0 && askSize > 0) || math.IsInf(bid+ask+bidSize+askSize, 0) {
		t.Fatalf("quote %v", tick.F)
	}
	switch {
	case bid == ask:
		c.stats.Locked++
	case bid > ask:
		c.stats.Crossed++
	}
}

// TestRules draws configurations, among them awkward ones, and holds the package's rules and counts.
func TestRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Custom(func(t *rapid.T) uint32 { return rapid.Uint32Range(0, 20_000).Draw(t, "rate") })
		config := Config{
			Seed:          rapid.Uint64().Draw(t, "seed"),
			Instruments:   rapid.IntRange(1, 300).Draw(t, "instruments"),
			RatePerSecond: rapid.Float64Range(RatePerSecondMin, RatePerSecondMax).Draw(t, "rate"),
			StartNs:       rapid.Int64Range(0, 1<<62).Draw(t, "start"),
			Venue:         "sim",
			Faults: Faults{
				Halts: rate.Draw(t, "halts"), DeclaredGaps: rate.Draw(t, "declared"), SilentGaps: rate.Draw(t, "silent"),
				Locked: rate.Draw(t, "locked"), Crossed: rate.Draw(t, "crossed"),
				AbsentSides: rate.Draw(t, "absent"), Bursts: rate.Draw(t, "bursts"),
			},
		}
		m, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		runChecked(t, m, 3000)
	})
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func runChecked(t fataler, m *Market, count int) Stats {
	t.Helper()
	c := &checker{views: make([]view, m.Len()), lastNs: m.config.StartNs}
	var tick feed.Tick
	for range count {
		seq := m.Next(&tick)
		c.check(t, &tick, seq)
	}
	want := m.Stats()
	want.Bursts = 0 // not visible in the stream
	if c.stats != want {
		t.Fatalf("seen %+v\ncounted %+v", c.stats, want)
	}
	return c.stats
}

func TestFaultsAllHappen(t *testing.T) {
	config := Default()
	config.Faults = Faults{
		Halts: 200, DeclaredGaps: 200, SilentGaps: 200, Locked: 200, Crossed: 200, AbsentSides: 200, Bursts: 200,
	}
	got := runChecked(t, mustNew(t, config), 300_000)
	for name, count := range map[string]uint64{
		"halts": got.Halts, "resumes": got.Resumes, "declared gaps": got.DeclaredGaps, "silent gaps": got.SilentGaps,
		"locked": got.Locked, "crossed": got.Crossed, "absent sides": got.AbsentSides,
	} {
		if count < 30 || count > 90 {
			t.Errorf("%d %s, want about 60", count, name)
		}
	}
	config.Faults = Faults{}
	got = runChecked(t, mustNew(t, config), 100_000)
	if got.Quotes+got.Trades != got.Ticks || got.Locked+got.Crossed+got.AbsentSides+got.LostInGaps != 0 {
		t.Errorf("faults without being asked for: %+v", got)
	}
}

func TestOneInstrumentHaltedDoesNotStopTime(t *testing.T) {
	config := Default()
	config.Instruments = 1
	config.Faults = Faults{Halts: 100_000}
	got := runChecked(t, mustNew(t, config), 1000)
	if got.Halts < 20 {
		t.Errorf("%d halts in 1000 ticks", got.Halts)
	}
}

func TestConfigErrors(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"no instruments":   func(c *Config) { c.Instruments = 0 },
		"many instruments": func(c *Config) { c.Instruments = InstrumentsMax + 1 },
		"no rate":          func(c *Config) { c.RatePerSecond = 0 },
		"rate NaN":         func(c *Config) { c.RatePerSecond = math.NaN() },
		"rate infinite":    func(c *Config) { c.RatePerSecond = math.Inf(1) },
		"before 1970":      func(c *Config) { c.StartNs = -1 },
		"far future":       func(c *Config) { c.StartNs = 1<<62 + 1 },
		"no venue":         func(c *Config) { c.Venue = "" },
		"long venue":       func(c *Config) { c.Venue = "123456789012345678901234567890123" },
		"all faults":       func(c *Config) { c.Faults.Halts = FaultsPerMillionMax; c.Faults.Bursts = 1 },
		"faults overflow":  func(c *Config) { c.Faults.Halts = math.MaxUint32; c.Faults.Bursts = math.MaxUint32 },
	} {
		config := Default()
		spoil(&config)
		if _, err := New(config); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	m := mustNew(t, Default())
	var tick feed.Tick
	if n := testing.AllocsPerRun(50_000, func() { m.Next(&tick) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

func BenchmarkNext(b *testing.B) {
	m := mustNew(b, Default())
	var tick feed.Tick
	b.ReportAllocs()
	for b.Loop() {
		m.Next(&tick)
	}
}
