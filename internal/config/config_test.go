package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func noFile(path string) ([]byte, error) { return nil, fs.ErrNotExist }

func mustParse(t interface{ Fatalf(string, ...any) }, text string) *Config {
	c, err := Parse("engine.yaml", []byte(text), noFile)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

const full = `
version: 1
partition: crypto
clock: exchange
late_drop: 5s
nats: {url: "tls://a:4222,tls://b:4222", user: bob, password_env: BOB, tls: {ca: ca.pem, cert: c.pem, key: k.pem}}
feeds:
  - {name: spot, subject: md.spot.>, codec: binance-spot, venue: binance, trades: aggTrade, ring: 1024, on_full: block,
     queue: g, pending: {messages: 10, bytes: 1MiB}}
signals:
  - name: reversion
    value: zscore(microprice - ema(mid, 20), 30s)
    when: >
      abs(value) > 2.5
      and spread < 5bp * mid
    exit: abs(value) < 0.5
    throttle: 100ms
    side: -sign(value)
    strength: 1
    horizon: 5m
    expires: 1.5s
    for: [binance.*, "cme.ES 06-25.x"]
    on_gap: hold
risk: {gates: off, kill: [all, "signal:reversion", "instrument:a.b.c"], max_trail: 3s, stale: 2s, stale_trade: 1m, stale_reference: 3s,
       gap_ticks: 2, warmup: 30s, warmup_ticks: 100, skew: 4s, crossed: allow, locked: refuse, empty: allow,
       hours: "09:30-16:00 America/New_York mon-fri", hours_warm: 1m, hours_cool: 2m, holidays: 2026-12-25 2027-01-01,
       value_max: 1e6, spread: 20bp, collar: 20pct, collar_window: 10m, price_band: 90..110,
       velocity: 2pct, velocity_window: 2s, velocity_hold: 9s, duplicate: 1s, duplicate_step: 0.5, rate: 20, rate_burst: 10,
       repeat: 50, repeat_window: 2m, position: 100, size: 10, multiplier: 50, rate_total: 2000, rate_total_burst: 500,
       decode_errors: 3, decode_window: 2s, decode_hold: 6s, journal_lag: 500ms, disk_free: 2GiB, fills: fill.v1.>, rejected: no.v1,
       budget: {gross: 1e6, net: 500000, drawdown: 2000, day_loss: 3000, fills_stale: 5s},
       latency: {limit: 2ms, late: 6, of: 30, clean: 60}, deadman: {after: 10s, subject: ops.hb},
       overrides: [{for: binance.*, signals: reversion, limits: {spread: 8pct, rate: 7}}, {limits: {collar_window: 1m}}]}
engine: {executor: cpu, dispatch: stream, follow: on, devices: [2, 0], lanes: 2, batch: 32, mode: fused, wait: park, instruments: 10, heartbeat: 20ms,
         gogc: 200, memory_limit: 1GiB}
publish: {subject: s.t, format: binary, queue: 512, instance: me, current: c.u, last_stream: LAST}
control: {subject: c.v, heartbeat: h.v, beat: 1s, loosen: people, confirm: 30s}
journal: {dir: j, segment: 1MiB, sync: block, sync_interval: 1s, retain: 2MiB, on_error: continue}
`

func TestParseFull(t *testing.T) {
	c := mustParse(t, full)
	c.origins = nil
	want := &Config{
		Version: 1, Partition: "crypto", Clock: ClockExchange, LateDrop: 5 * time.Second,
		NATS: NATS{URL: "tls://a:4222,tls://b:4222", User: "bob", PasswordEnv: "BOB", TLS: TLS{"ca.pem", "c.pem", "k.pem"}},
		Feeds: []Feed{{
			Name: "spot", Subject: "md.spot.>", Queue: "g", Codec: CodecBinanceSpot, Venue: "binance", Trades: TradesAggTrade,
			RingTicks: 1024, OnFull: OnFullBlock, Pending: Pending{10, 1 << 20},
		}},
		Signals: []Signal{{
			Name: "reversion", Value: "zscore(microprice - ema(mid, 20), 30s)", When: "abs(value) > 2.5 and spread < 5bp * mid\n",
			Exit: "abs(value) < 0.5", Side: "-sign(value)", Strength: "1", Throttle: 100 * time.Millisecond, Horizon: 5 * time.Minute,
			Expires: 1500 * time.Millisecond, For: []Pattern{{"binance", "*"}, {"cme", "ES 06-25.x"}}, OnGap: OnGapHold,
		}},
		Risk:    fullRisk(),
		Engine:  Engine{ExecutorCPU, DispatchStream, FollowOn, []int{2, 0}, 2, 32, ModeFused, WaitPark, 10, 20 * time.Millisecond, 200, 1 << 30},
		Publish: Publish{"s.t", FormatBinary, 512, "me", "c.u", "LAST"},
		Control: Control{"c.v", "h.v", time.Second, LoosenPeople, 30 * time.Second},
		Journal: Journal{"j", 1 << 20, SyncBlock, time.Second, 2 << 20, OnErrorContinue},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got\n%+v\nwant\n%+v", c, want)
	}
}

// fullRisk is the section risk of testdata/full.yaml: every key with another value than its default.
func fullRisk() Risk {
	return Risk{
		Limits: Limits{
			Stale: 2 * time.Second, StaleTrade: time.Minute, StaleReference: 3 * time.Second, GapTicks: 2,
			Warmup: 30 * time.Second, WarmupTicks: 100, Skew: 4 * time.Second,
			Crossed: GateAllow, Locked: GateRefuse, Empty: GateAllow, ValueMax: 1e6, Spread: 0.002, Collar: 0.2,
			CollarWindow: 10 * time.Minute, PriceBand: "90..110", Velocity: 0.02, VelocityWindow: 2 * time.Second, VelocityHold: 9 * time.Second,
			Duplicate: time.Second, DuplicateStep: 0.5, Rate: 20, RateBurst: 10, Repeat: 50, RepeatWindow: 2 * time.Minute,
			Hours: "09:30-16:00 America/New_York mon-fri", HoursWarm: time.Minute, HoursCool: 2 * time.Minute, Holidays: "2026-12-25 2027-01-01",
			Position: 100, Size: 10, Multiplier: 50,
		},
		MaxTrail: 3 * time.Second,
		Kill:     []Kill{{Scope: KillAll}, {Scope: KillSignal, Signal: "reversion"}, {Scope: KillInstrument, Venue: "a", Symbol: "b.c"}},
		Gates:    Off, RateTotal: 2000, RateTotalBurst: 500, DecodeErrors: 3, DecodeWindow: 2 * time.Second, DecodeHold: 6 * time.Second,
		Budget:  Budget{Gross: 1e6, Net: 5e5, Drawdown: 2000, DayLoss: 3000, FillsStale: 5 * time.Second},
		Latency: Latency{Limit: 2 * time.Millisecond, Late: 6, Of: 30, Clean: 60}, Deadman: Deadman{After: 10 * time.Second, Subject: "ops.hb"},
		JournalLag: 500 * time.Millisecond, DiskFree: 2 << 30, Fills: "fill.v1.>", Rejected: "no.v1",
		Overrides: []RiskOverride{
			{For: []Pattern{{"binance", "*"}}, Signals: []string{"reversion"}, Limits: []Named{{"spread", "8pct"}, {"rate", "7"}}},
			{For: []Pattern{{"*", "*"}}, Limits: []Named{{"collar_window", "1m"}}},
		},
	}
}

func TestDefaultIsEmptyFile(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	c := mustParse(t, "version: 1")
	c.origins = nil
	if !reflect.DeepEqual(c, Default()) {
		t.Errorf("got %+v", c)
	}
}

// TestPrintGolden freezes what String prints, and so what Hash hashes.
func TestPrintGolden(t *testing.T) {
	for name, c := range map[string]*Config{"default": Default(), "full": mustParse(t, full)} {
		file := filepath.Join("testdata", name+".yaml")
		if *update {
			if err := os.WriteFile(file, []byte(c.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if c.String() != string(want) {
			t.Errorf("%s: got\n%s", file, c)
		}
	}
}

func TestHash(t *testing.T) {
	a, b := mustParse(t, full), mustParse(t, "# a comment\n"+strings.ReplaceAll(full, "1.5s", "1500ms"))
	if a.Hash() != b.Hash() || !a.Equal(b) {
		t.Error("the same meaning has another hash")
	}
	c := mustParse(t, strings.Replace(full, "2.5", "2.6", 1))
	if a.Hash() == c.Hash() || a.Equal(c) {
		t.Error("another meaning has the same hash")
	}
	if len(a.Hash()) != 64 {
		t.Error(a.Hash())
	}
}

// TestRoundTrip: what String prints, Parse reads back to the same.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		if err := c.Validate(); err != nil {
			t.Fatalf("drawn invalid: %v", err)
		}
		back, r := read("engine.yaml", []byte(c.String()), noFile)
		if len(r.errors) > 0 {
			t.Fatalf("%s\n%s", c, r.errors.Render())
		}
		back.origins = nil
		if !reflect.DeepEqual(back, c) {
			t.Fatalf("printed\n%s\nread back\n%s\n%#v\n%#v", c, back, c, back)
		}
	})
}

func drawConfig(t *rapid.T) *Config {
	c := Default()
	c.Partition = rapid.StringMatching(`[A-Za-z0-9_-]{1,32}`).Draw(t, "partition")
	if c.Clock = rapid.SampledFrom([]Clock{ClockReceive, ClockExchange}).Draw(t, "clock"); c.Clock == ClockExchange {
		c.LateDrop = time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "late"))
	}
	odd := rapid.OneOf(rapid.SampledFrom([]string{"~", "null", "yes", "1.5", "0x1f", "- a", "a: b", "#c", "'", `"`, "é", " x ", "\u2028", "\u0085", "!a", "&a", "*a", "1:30", "2001-01-01", "\ufeff"}), rapid.StringN(1, 20, 40))
	line := odd.Filter(func(s string) bool { return !strings.ContainsAny(s, "\n\r\x00") && s != "" })
	c.NATS.CredsFile = line.Draw(t, "creds")
	c.Journal.Dir = line.Draw(t, "dir")
	c.Journal.SegmentBytes = rapid.Int64Range(1<<20, 64<<30).Draw(t, "segment")
	c.Engine.MemoryLimitBytes = rapid.SampledFrom([]int64{0, 64 << 20, 1<<30 + 1}).Draw(t, "memory")
	if rapid.Bool().Draw(t, "feed") {
		f := DefaultFeed()
		f.Name, f.Subject, f.Venue = "f", "md.>", rapid.SampledFrom([]string{"1", "x y", "é", "true"}).Draw(t, "venue")
		c.Feeds = append(c.Feeds, f)
	}
	c.Risk.Spread = rapid.Float64Range(0, 1e6).Draw(t, "spread")
	c.Risk.ValueMax = rapid.SampledFrom([]float64{0, 1, 1e21, 1e-7, 123456789, 0.1}).Draw(t, "value max")
	c.Risk.Hours = rapid.SampledFrom([]Hours{"", "09:30-16:00 America/New_York mon-fri"}).Draw(t, "hours")
	c.Risk.PriceBand = rapid.SampledFrom([]Band{"", "1..2", "-5..-4.5"}).Draw(t, "band")
	if rapid.Bool().Draw(t, "override") {
		c.Risk.Overrides = []RiskOverride{{For: []Pattern{{"v", "*"}}, Limits: []Named{{"spread", "5pct"}, {"hours", ""}, {"rate", "007"}}}}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "signals") {
		s := DefaultSignal()
		s.Name = string(rune('a'+i)) + rapid.StringMatching(`[a-z0-9_]{0,10}`).Draw(t, "name")
		for _, field := range []*string{&s.Value, &s.When} {
			*field = odd.Draw(t, "expression")
		}
		s.Exit = rapid.OneOf(rapid.Just(""), odd).Draw(t, "exit")
		s.Throttle = time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "throttle"))
		for range rapid.IntRange(0, 2).Draw(t, "patterns") {
			s.For = append(s.For, Pattern{"v*", strings.ReplaceAll(line.Draw(t, "symbol"), "\n", "")})
		}
		c.Signals = append(c.Signals, s)
		if rapid.Bool().Draw(t, "kill") {
			c.Risk.Kill = append(c.Risk.Kill, Kill{Scope: KillSignal, Signal: s.Name})
		}
	}
	for i := range c.Signals {
		if c.SignalIndex(c.Signals[i].Name) != i {
			t.Skip("name taken")
		}
	}
	return c
}

// FuzzParse: no panic, errors of our own type inside the file, and what is accepted prints and reads back.
func FuzzParse(f *testing.F) {
	f.Add(full, "signals: [{name: a, value: mid, when: value > 1}]")
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for c := range strings.SplitSeq(string(data), "\n====\n") {
			input, _, _ := strings.Cut(c, "\n----\n")
			main, other, _ := strings.Cut(input, "\n---- ")
			f.Add(main, other)
		}
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		c, err := Parse("d/engine.yaml", []byte(text), func(string) ([]byte, error) { return []byte(other), nil })
		if err == nil {
			if back := mustParse(t, c.String()); !back.Equal(c) {
				t.Fatalf("read back differently:\n%s\n%s", c, back)
			}
			return
		}
		var mistakes Errors
		if !errors.As(err, &mistakes) || len(mistakes) == 0 || c != nil {
			t.Fatalf("error %T, config %v", err, c)
		}
		for _, e := range mistakes {
			if e.Line < 0 || e.Column < 0 || e.Line > 0 && (e.Column < 1 || e.Length < 1) || e.Message == "" {
				t.Fatalf("%+v", e)
			}
			if len(e.Render()) == 0 {
				t.Fatal("renders to nothing")
			}
		}
	})
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("six.yaml", "signals: [{name: a, value: mid, when: value > 1}]")
	path := write("engine.yaml", "version: 1\nsignals_file: six.yaml\nsignals: [{name: b, value: a, when: value > 1}]")
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Signals) != 2 || c.Signals[0].Name != "a" || c.SignalIndex("b") != 1 || c.SignalIndex("c") != -1 {
		t.Errorf("%+v", c.Signals)
	}
	c.Signals[1].Exit = "value <" // not in the file, so its mistake is shown at the signal
	var mistakes Errors
	if _, err = c.Compile(); !errors.As(err, &mistakes) || len(mistakes) != 1 || mistakes[0].Path != "signals[1].exit" ||
		mistakes[0].Line != 3 || mistakes[0].Message != "exit is wrong: expression ends too early" {
		t.Errorf("%+v", mistakes)
	}
	write("six.yaml", "signals: [{name: a, value: mid, when: value > wrong}]")
	if _, err = Load(path); !errors.As(err, &mistakes) || len(mistakes) != 1 || mistakes[0].File != filepath.Join(dir, "six.yaml") ||
		mistakes[0].Line != 1 || mistakes[0].Column != 47 || mistakes[0].Path != "signals[0].when" {
		t.Errorf("%+v", mistakes)
	}
	if _, err = Load(filepath.Join(dir, "none.yaml")); err == nil || !strings.HasSuffix(err.Error(), "none.yaml: cannot be read: no such file or directory") {
		t.Error(err)
	}
}

// TestValidateInCode checks a Config that never was a file.
func TestValidateInCode(t *testing.T) {
	c := Default()
	c.Engine.Lanes = 0
	c.Engine.MemoryLimitBytes = -5
	c.Risk.Kill = []Kill{{Scope: "nothing"}}
	c.Feeds = []Feed{{}}
	c.Signals = make([]Signal, SignalsMax+1)
	err := c.Validate()
	for _, want := range []string{
		"engine.lanes: lanes is 0", "engine.memory_limit: memory_limit is", `risk.kill[0]: kill[0] is "`, "feeds[0].ring: ring is 0",
		`feeds[0].codec: codec is ""`, "feeds[0].name: name is missing", "signals: signals has more than 64 entries", "signals[64].for: for selects nothing",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}
