package replay

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
	"github.com/sigengine/sigengine/replay/snapshot"
)

const build = "sigengine test"

func parsed(t testing.TB, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const flowConfig = `version: 1
feeds: [{name: a, subject: md.>, codec: json}]
signals:
  - {name: up, value: 'mid - sma(mid, 20)', when: 'crosses(value, 0)', expires: 1s}
  - {name: flow, value: 'ofi(50ms)', when: abs(value) > 3, exit: abs(value) < 1}
  - {name: beat, value: 'sma(mid, 2s)', when: 'crosses(mid - value, 0)', on: clock(20ms)}
`

// recorded is a journal of a simulated market in many segments, of so many runs, each of ticks.
func recorded(t testing.TB, c *config.Config, seed uint64, runs, ticks int) *memstore.Store {
	t.Helper()
	store := new(memstore.Store)
	for run := range runs {
		settings := sim.Default()
		settings.Seed, settings.Instruments = seed+uint64(run), 12
		m, err := sim.New(settings)
		if err != nil {
			t.Fatal(err)
		}
		writer, err := journal.OpenWriter(store, journal.Options{Partition: c.Partition, NowNs: func() int64 { return 1 }, SegmentBytes: 64 << 10})
		if err != nil {
			t.Fatal(err)
		}
		appender := writer.Ticks()
		if err := appender.Config(setup.Generation, "journal", []byte(c.String())); err != nil {
			t.Fatal(err)
		}
		known := make([]bool, m.Len())
		for range ticks {
			var tick feed.Tick
			m.Next(&tick)
			tick.Seq, tick.Source, tick.ReceiveNs = appender.NextSeq(), 1, tick.ExchangeNs
			if id := tick.Instrument; !known[id] {
				known[id] = true
				s := m.Symbol(int(id))
				if err := appender.Define(journal.Definition{ID: id, Source: 1, Class: journal.ClassInstrument, Venue: s.Venue, Symbol: s.Name}); err != nil {
					t.Fatal(err)
				}
			}
			appender.Append(&tick, 0)
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func take(t testing.TB, store journal.Store, options Options, at uint64) *snapshot.Snapshot {
	t.Helper()
	options.Build = build
	s, _, err := TakeSnapshot(store, options, at)
	if err != nil {
		t.Fatalf("snapshot at %d: %v", at, err)
	}
	return s
}

// again is a snapshot that went through its file form.
func again(t testing.TB, s *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	b, err := snapshot.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = snapshot.Decode(b); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFromEveryTick: a live run in which every gate refuses something replays and verifies from a snapshot after any tick.
func TestFromEveryTick(t *testing.T) {
	store, hash, rejected, _ := runLive(t, parsed(t, gatesConfig), true)
	whole, err := Verify(store, Options{})
	if err != nil || whole.Difference != nil || whole.OutputHash != hash {
		t.Fatalf("%+v, %v", whole, err)
	}
	for at := uint64(1); at <= whole.Ticks; at++ {
		s := again(t, take(t, store, Options{}, at%whole.Ticks)) // 0: the last
		restored := uint64(0)
		v, err := Verify(store, Options{Build: build, From: s, Restored: func(sequence uint64) { restored = sequence }})
		if err != nil {
			t.Fatalf("from %d: %v", at, err)
		}
		if v.Difference != nil || v.OutputHash != hash || v.Unended != whole.Unended || v.Signals != whole.Signals || v.Unmatched != whole.Unmatched ||
			v.Skipped != at || v.Ticks != whole.Ticks-at || restored != at || fmt.Sprint(v.Rejected) != fmt.Sprint(rejected) {
			t.Fatalf("from %d: %+v, want %+v", at, v, whole)
		}
		if s.State.Signals+v.Compared+v.Unmatched != whole.Signals {
			t.Fatalf("from %d: %d signals before and %d compared, want %d", at, s.State.Signals, v.Compared, whole.Signals)
		}
	}
}

// TestFromInTheMiddle: of a journal of many segments only those from the snapshot's on are read, older ones may be gone, and
// shapes may differ. A snapshot from a snapshot is the one from the beginning.
func TestFromInTheMiddle(t *testing.T) {
	c := parsed(t, flowConfig)
	store := recorded(t, c, 3, 1, 12_000)
	whole, err := Play(store, Options{})
	if err != nil || whole.Signals < 20 {
		t.Fatalf("%+v, %v", whole, err)
	}
	for _, at := range []uint64{1, 4000, 6001, 11_999, 12_000} {
		s := again(t, take(t, store, Options{}, at))
		half := take(t, store, Options{Shape: func(e *engine.Config) { e.Lanes = 5 }}, (at+1)/2)
		if a, b := fmt.Sprint(again(t, take(t, store, Options{From: half}, at))), fmt.Sprint(s); a != b {
			t.Errorf("at %d: by way of %d it is another", at, (at+1)/2)
		}
		blocks := 0
		got, err := Play(store, Options{
			Build: build, From: s, Blocks: func(*journal.Block) { blocks++ },
			Shape: func(e *engine.Config) { e.Lanes, e.Batch, e.Mode = 3, 7, engine.ModeStaged },
		})
		if err != nil || got.OutputHash != whole.OutputHash || got.Signals != whole.Signals || got.Ticks != 12_000-at {
			t.Errorf("from %d: %+v, %v; want %+v", at, got, err, whole)
		}
		if at == 11_999 && blocks > 40 {
			t.Errorf("%d blocks were read", blocks)
		}
	}
	s := take(t, store, Options{}, 11_000)
	segments, err := journal.Segments(store)
	if err != nil {
		t.Fatal(err)
	}
	for _, segment := range segments[:5] {
		if err := store.Remove(journal.SegmentName(segment.Index)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Play(store, Options{}); !errors.Is(err, ErrBegin) {
		t.Errorf("without the beginning: %v", err)
	}
	for name, play := range map[string]func() (string, error){
		"replay": func() (string, error) {
			r, err := Play(store, Options{Build: build, From: s})
			return r.OutputHash, err
		},
		"verify": func() (string, error) {
			v, err := Verify(store, Options{Build: build, From: s})
			return v.OutputHash, err
		},
	} {
		if hash, err := play(); err != nil || hash != whole.OutputHash {
			t.Errorf("%s without the beginning: %s, %v", name, hash, err)
		}
	}
}

// TestFromOneRun: a snapshot belongs to a run; earlier runs are passed over, and later ones begin anew.
func TestFromOneRun(t *testing.T) {
	store := recorded(t, parsed(t, flowConfig), 5, 3, 3000)
	ends := func(o Options) (hashes []string, result Result) {
		o.Build, o.End = build, func(run uint64, hash string) { hashes = append(hashes, fmt.Sprint(run, " ", hash)) }
		result, err := Play(store, o)
		if err != nil {
			t.Fatal(err)
		}
		return hashes, result
	}
	whole, result := ends(Options{})
	if result.Signals < 20 {
		t.Fatalf("%+v", result)
	}
	for _, at := range []uint64{1000, 3000, 3001, 5555, 6000, 9000, 0} {
		s := take(t, store, Options{}, at)
		got, _ := ends(Options{From: s})
		if want := whole[s.Run-1:]; strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("from %d of run %d: %v, want %v", at, s.Run, got, want)
		}
	}
}

// TestFromRefuses: what is not this journal's, or not of this configuration, is not begun with.
func TestFromRefuses(t *testing.T) {
	c := parsed(t, flowConfig)
	store := recorded(t, c, 3, 1, 3000)
	sound := take(t, store, Options{}, 2000)
	lanes := *c
	lanes.Engine.Lanes = 4
	if _, err := Play(store, Options{Build: build, From: sound, Config: &lanes}); err != nil {
		t.Errorf("other lanes: %v", err)
	}
	for _, test := range []struct {
		name   string
		store  journal.Store
		config string
		build  string
		change func(*snapshot.Snapshot)
		want   string
	}{
		{"another journal", recorded(t, c, 4, 1, 3000), "", build, nil, "hash chain"},
		{"a shorter journal", recorded(t, c, 3, 1, 1500), "", build, nil, "ends before tick 2000"},
		{"another build", store, "", "sigengine next", nil, "was made by"},
		{"other signals", store, strings.Replace(flowConfig, "50ms", "60ms", 1), build, nil, "other signals"},
		{"other gates", store, flowConfig + "risk: {spread: 9pct}\n", build, nil, "another configuration"},
		{"another run", store, "", build, func(s *snapshot.Snapshot) { s.Run = 2 }, "does not hold tick 2000 of run 2"},
		{"another tick", store, "", build, func(s *snapshot.Snapshot) { s.ChainAt++ }, "hash chain"},
	} {
		s := *sound
		if test.change != nil {
			test.change(&s)
		}
		o := Options{Build: test.build, From: &s}
		if test.config != "" {
			o.Config = parsed(t, test.config)
		}
		if _, err := Play(test.store, o); !errors.Is(err, snapshot.ErrForeign) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		dir := snapshot.NewDir(t.TempDir())
		if _, err := dir.Write(&s); err != nil {
			t.Fatal(err)
		}
		if _, _, skipped, err := NewestFor(test.store, dir, o.Config, o.Build); !errors.Is(err, snapshot.ErrNone) || len(skipped) != 1 ||
			!errors.Is(skipped[0].Why, snapshot.ErrForeign) || !strings.Contains(skipped[0].Why.Error(), test.want) {
			t.Errorf("%s, from a folder: %v %v, want %q", test.name, err, skipped, test.want)
		}
	}
	if _, _, err := TakeSnapshot(store, Options{Build: build}, 3001); err == nil || !strings.Contains(err.Error(), "ends at tick 3000") {
		t.Errorf("a snapshot after the end: %v", err)
	}
}

// TestNewestFor: of a folder the newest is taken that is of the journal.
func TestNewestFor(t *testing.T) {
	c := parsed(t, flowConfig)
	store, dir := recorded(t, c, 3, 1, 3000), snapshot.NewDir(t.TempDir())
	for _, s := range []*snapshot.Snapshot{
		take(t, store, Options{}, 700), take(t, store, Options{}, 1400), take(t, recorded(t, c, 4, 1, 3000), Options{}, 2100),
	} {
		if _, err := dir.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	s, _, skipped, err := NewestFor(store, dir, nil, build)
	if err != nil || s.State.Sequence != 1400 || len(skipped) != 1 {
		t.Fatalf("%+v %v %v", s, skipped, err)
	}
	whole, err := Play(store, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Play(store, Options{Build: build, From: s}); err != nil || got.OutputHash != whole.OutputHash {
		t.Errorf("%+v, %v; want %+v", got, err, whole)
	}
}
