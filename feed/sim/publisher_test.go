package sim

import (
	"errors"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/wire"
)

// TestPublisherSendsEveryTick decodes what was published and compares it with a market of the same seed.
func TestPublisherSendsEveryTick(t *testing.T) {
	for name, c := range map[string]struct {
		codec Codec
		each  int
	}{
		"json": {JSON, 1}, "json arrays": {JSON, 5}, "binary": {Binary, 1}, "binary frames": {Binary, 32},
	} {
		t.Run(name, func(t *testing.T) {
			config := Default()
			config.Faults = Faults{AbsentSides: 2000, DeclaredGaps: 2000, Halts: 500}
			symbols := feed.NewSymbols(config.Instruments)
			options := feed.DecoderOptions{Symbols: symbols, Source: 9}
			var decoder feed.Decoder = wire.NewJSONDecoder(options)
			if c.codec == Binary {
				decoder = wire.NewBinaryDecoder(options)
			}
			reference := mustNew(t, config)
			ticks, messages := 0, 0
			check := func(subject string, payload []byte) error {
				messages++
				batch := feed.Batch{Ticks: make([]feed.Tick, 64), VenueSeq: make([]uint64, 64)}
				if decoder.Decode(payload, 77, &batch) || batch.N != c.each {
					t.Fatalf("message %d: %d ticks of %d: %s", messages, batch.N, c.each, payload)
				}
				for i, got := range batch.Ticks[:batch.N] {
					var want feed.Tick
					sequence := reference.Next(&want)
					want.ReceiveNs, want.Source = 77, 9
					if name := symbols.At(got.Instrument); name != reference.Symbol(int(want.Instrument)) {
						t.Fatalf("tick %d of %v, want %d", ticks, name, want.Instrument)
					}
					got.Instrument = want.Instrument
					if !sameTick(got, want) || batch.VenueSeq[i] != sequence {
						t.Fatalf("tick %d: %+v (%d), want %+v (%d)", ticks, got, batch.VenueSeq[i], want, sequence)
					}
					ticks++
				}
				wantSubject := "md.v1.sim.batch"
				if c.each == 1 {
					wantSubject = "md.v1.sim." + batch.Ticks[0].Kind.String() + "." + symbols.At(batch.Ticks[0].Instrument).Name
				}
				if subject != wantSubject {
					t.Fatalf("subject %q, want %q", subject, wantSubject)
				}
				return nil
			}
			clock := feed.NewManualClock(1_000)
			p, err := NewPublisher(PublisherConfig{
				Market: mustNew(t, config), Clock: clock, Send: check, Codec: c.codec, TicksPerMessage: c.each, Session: 5,
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 500 {
				p.Pump(clock.Advance(1_000_000))
			}
			stats := p.Stats()
			if stats.Ticks != uint64(ticks) || stats.Messages != uint64(messages) || ticks < 9_000 || ticks > 11_000 {
				t.Errorf("half a second at 20,000 a second: %d ticks in %d messages, stats %+v", ticks, messages, stats)
			}
		})
	}
}

func sameTick(a, b feed.Tick) bool {
	for i := range a.F {
		if a.F[i] != b.F[i] && !(a.F[i] != a.F[i] && b.F[i] != b.F[i]) {
			return false
		}
	}
	a.F, b.F = [4]float64{}, [4]float64{}
	return a == b
}

func newTestPublisher(t *testing.T, send func(string, []byte) error) *Publisher {
	t.Helper()
	p, err := NewPublisher(PublisherConfig{
		Market: mustNew(t, calm()), Clock: feed.NewManualClock(0), Send: send, Codec: Binary,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPublisherPaces(t *testing.T) {
	sent := 0
	p := newTestPublisher(t, func(string, []byte) error { sent++; return nil })
	nowNs := int64(5_000)
	for range 1000 {
		nextNs := p.Pump(nowNs)
		if nextNs <= nowNs {
			t.Fatalf("at %d the next is due at %d", nowNs, nextNs)
		}
		before := sent
		if p.Pump(nextNs - 1); sent != before {
			t.Fatalf("%d sent before %d, when it was due", sent-before, nextNs)
		}
		if p.Pump(nextNs); sent == before {
			t.Fatalf("nothing sent at %d, when it was due", nextNs)
		}
		nowNs = nextNs
	}
	if stats := p.Stats(); stats.LateTicks != 0 || stats.LateNsMax != 0 {
		t.Errorf("late though punctual: %+v", stats)
	}
}

func TestPublisherCatchesUp(t *testing.T) {
	sent := 0
	p := newTestPublisher(t, func(string, []byte) error { sent++; return nil })
	p.Pump(0)
	p.Pump(2_000_000_000) // two seconds late, all at once
	stats := p.Stats()
	if sent < 36_000 || sent > 44_000 || stats.Ticks != uint64(sent) {
		t.Errorf("%d ticks for two seconds at 20,000 a second", sent)
	}
	if stats.LateNsMax < 1_900_000_000 || stats.LateTicks < 30_000 {
		t.Errorf("lateness %+v", stats)
	}
}

func TestPublisherCountsRefusals(t *testing.T) {
	p := newTestPublisher(t, func(string, []byte) error { return errors.New("no") })
	p.Pump(0)
	p.Pump(10_000_000)
	if stats := p.Stats(); stats.Errors < 100 || stats.Ticks+stats.Messages+stats.Bytes != 0 {
		t.Errorf("stats %+v", stats)
	}
}

func TestPublisherDoesNotAllocate(t *testing.T) {
	for _, codec := range []Codec{JSON, Binary} {
		p, err := NewPublisher(PublisherConfig{
			Market: mustNew(t, calm()), Clock: feed.NewManualClock(0), Codec: codec,
			Send: func(string, []byte) error { return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		nowNs := int64(0)
		step := func() { nowNs += 1_000_000; p.Pump(nowNs) }
		for range 2000 {
			step()
		}
		if n := testing.AllocsPerRun(500, step); n != 0 {
			t.Errorf("codec %d: %v allocations a millisecond", codec, n)
		}
	}
}

func TestPublisherRunStops(t *testing.T) {
	stop := make(chan struct{})
	sent := 0
	p, err := NewPublisher(PublisherConfig{
		Market: mustNew(t, calm()), Clock: feed.NewSystemClock(), Send: func(string, []byte) error {
			if sent++; sent == 50 {
				close(stop)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Run(stop)
	if sent < 50 {
		t.Errorf("stopped after %d", sent)
	}
}

func TestPublisherConfigErrors(t *testing.T) {
	for name, spoil := range map[string]func(*PublisherConfig){
		"no market":     func(c *PublisherConfig) { c.Market = nil },
		"no clock":      func(c *PublisherConfig) { c.Clock = nil },
		"no send":       func(c *PublisherConfig) { c.Send = nil },
		"codec":         func(c *PublisherConfig) { c.Codec = 2 },
		"large batches": func(c *PublisherConfig) { c.TicksPerMessage = TicksPerMessageMax + 1 },
		"negative":      func(c *PublisherConfig) { c.TicksPerMessage = -1 },
	} {
		config := PublisherConfig{
			Market: mustNew(t, calm()), Clock: feed.NewManualClock(0), Send: func(string, []byte) error { return nil },
		}
		spoil(&config)
		if _, err := NewPublisher(config); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "sim: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lateClock is a second later each time that it is asked.
type lateClock struct{ nowNs int64 }

func (c *lateClock) NowNs() int64 {
	c.nowNs += 1_000_000_000
	return c.nowNs
}

// TestRunStopsWhenBehind: a publisher that never catches up looks whether to stop all the same, and says how far behind it is.
func TestRunStopsWhenBehind(t *testing.T) {
	stop, sent := make(chan struct{}), 0
	p, err := NewPublisher(PublisherConfig{
		Market: mustNew(t, calm()), Clock: &lateClock{}, Send: func(string, []byte) error {
			if sent++; sent == 10 {
				close(stop)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Run(stop)
	if sent < 10 || sent > 10+messagesALook || p.Stats().BehindNs < 1_000_000_000 {
		t.Errorf("sent %d, behind %d ns", sent, p.Stats().BehindNs)
	}
}
