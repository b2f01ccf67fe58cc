package engine_test

import (
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/publish"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/signal"
)

// drop is a connection that takes everything.
type drop struct{ messages int }

func (d *drop) Publish(string, []byte) error { d.messages++; return nil }

// TestNoAllocation is contract Z1: from a message's bytes to the publish call, with journal and latencies, nothing is
// allocated in steady state.
func TestNoAllocation(t *testing.T) {
	for _, test := range []struct {
		name string
		as   sim.Codec
		per  int
	}{{codec.JSON, sim.JSON, 1}, {codec.Binary, sim.Binary, 32}} {
		t.Run(test.name, func(t *testing.T) {
			messages := marketMessages(t, test.as, test.per, 40_000/test.per)
			conn := &drop{}
			stepper, inlet, decode := allocationRig(t, test.name, conn)
			half := len(messages) / 2
			for _, m := range messages[:half] { // names are learnt, buffers grow
				decode(m)
				stepper.Step()
			}
			before := conn.messages
			next := half
			perRun := (len(messages) - half) / 12
			if n := testing.AllocsPerRun(10, func() {
				for range perRun {
					decode(messages[next])
					stepper.Step()
					next++
				}
			}); n > 0 {
				t.Errorf("%v allocations in %d messages", n, perRun)
			}
			if conn.messages == before {
				t.Error("nothing was published: the test exercises too little")
			}
			inlet.Close()
			stepper.Close()
		})
	}
}

func marketMessages(t *testing.T, as sim.Codec, per, count int) [][]byte {
	t.Helper()
	c := sim.Default()
	c.Instruments = 16
	market, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	p, err := sim.NewPublisher(sim.PublisherConfig{
		Market: market, Clock: feed.NewManualClock(0), Codec: as, TicksPerMessage: per, Session: 1,
		Send: func(_ string, payload []byte) error { out = append(out, append([]byte(nil), payload...)); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for now := int64(0); len(out) < count; now += 1e6 {
		p.Pump(now)
	}
	return out
}

// allocationRig is the whole path in one goroutine: decoder, inlet, engine with journal and latencies, publisher.
func allocationRig(t *testing.T, name string, conn publish.Conn) (*engine.Stepper, *feed.Inlet, func([]byte)) {
	t.Helper()
	shape, _, err := setup.Engine(six(t))
	if err != nil {
		t.Fatal(err)
	}
	shape.Mode = engine.ModeFused
	clock := feed.NewManualClock(1)
	writer, err := journal.OpenWriter(journal.NewDirStore(t.TempDir()), journal.Options{Partition: "p", NowNs: clock.NowNs, Inline: true, SegmentBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writer.Close() })
	sink, err := publish.NewNATSSink(publish.NATSConfig{Conn: conn, Clock: clock, Instance: "i", Prefix: signal.PrefixLive, Pairs: 16 * 6})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(shape, engine.Ports{
		Clock: clock, Sink: sink, Ticks: writer.Ticks(), Outcomes: writer.Outcomes(),
		Timing: engine.NewTiming(clock, metrics.NewStages(), 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	inlet, err := feed.NewInlet(feed.InletConfig{Name: "a", Slots: 1024, Instruments: 64})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.AddInlet(inlet); err != nil {
		t.Fatal(err)
	}
	decoder, err := codec.New(name, feed.DecoderOptions{Source: inlet.Source(), Symbols: inlet.Symbols})
	if err != nil {
		t.Fatal(err)
	}
	batch := feed.Batch{Ticks: make([]feed.Tick, 64), VenueSeq: make([]uint64, 64)}
	return e.Steps(), inlet, func(message []byte) {
		batch.N = 0
		decoder.Decode(message, clock.Advance(50_000), &batch)
		for i := range batch.Ticks[:batch.N] {
			inlet.Offer(&batch.Ticks[i], batch.VenueSeq[i])
		}
		inlet.Flush()
	}
}
