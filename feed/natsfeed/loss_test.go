package natsfeed

import (
	"errors"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/wire"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/testnats"
)

func TestReconnectLeavesAGap(t *testing.T) {
	server := startServer(t)
	in := newInlet(t, 1<<10, feed.FullDrop)
	client := connectClient(t, natsconn.Config{Servers: server.URL()})
	subscribe(t, client, jsonSource(in))
	seen := consume(t, in)
	out := publisher(t, server.URL())
	send(t, out, "md.a", quoteJSON(t, 1))
	eventually(t, "the first quote", func() bool { return len(seen.seen()) == 1 })

	server.Close()
	eventually(t, "a gap, though nothing arrives any more", func() bool { return len(holesOf(seen.seen())) > 0 })
	if hole := seen.seen()[1]; hole.hole != feed.GapDisconnect {
		t.Errorf("hole %+v", hole)
	}
	if client.Connection().Connected {
		t.Error("connected to a server that is gone")
	}
	testnats.Restart(t, server.Port())
	eventually(t, "reconnected", func() bool { return client.Connection().Reconnects == 1 && out.Connected() })
	eventually(t, "a quote after it", func() bool {
		send(t, out, "md.a", quoteJSON(t, 2))
		events := ticksOf(seen.seen())
		return len(events) > 1 && events[len(events)-1].tick.F[0] == 2
	})
	for _, hole := range holesOf(seen.seen()) {
		if hole.hole != feed.GapDisconnect {
			t.Errorf("hole %+v", hole)
		}
	}
}

// TestServerKilled is the same with a server of its own, killed as kill -9 does.
func TestServerKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no server process")
	}
	server := testnats.StartProcess(t)
	in := newInlet(t, 1<<10, feed.FullDrop)
	client := connectClient(t, natsconn.Config{Servers: server.URL()})
	subscribe(t, client, jsonSource(in))
	seen := consume(t, in)
	out := publisher(t, server.URL())
	send(t, out, "md.a", quoteJSON(t, 1))
	eventually(t, "the first quote", func() bool { return len(seen.seen()) == 1 })
	server.Kill()
	eventually(t, "a gap", func() bool { return len(holesOf(seen.seen())) > 0 })
	server.Start()
	eventually(t, "reconnected", func() bool { return client.Connection().Connected && out.Connected() })
	eventually(t, "a quote after it", func() bool {
		send(t, out, "md.a", quoteJSON(t, 2))
		events := ticksOf(seen.seen())
		return events[len(events)-1].tick.F[0] == 2
	})
}

// stuckDecoder lets the test hold the callback.
type stuckDecoder struct {
	feed.Decoder
	arrived chan struct{}
	hold    chan struct{}
}

func (d *stuckDecoder) Decode(message []byte, receiveNs int64, batch *feed.Batch) bool {
	select {
	case d.arrived <- struct{}{}:
	default:
	}
	<-d.hold
	return d.Decoder.Decode(message, receiveNs, batch)
}

// TestSlowConsumer fills the pending queue. What was lost is counted, a gap shows at once and again where the hole is,
// and of what waited in the queue only the halt gets through.
func TestSlowConsumer(t *testing.T) {
	const limit, sent = 100, 500
	server := startServer(t)
	in := newInlet(t, 1<<12, feed.FullDrop)
	client := connectClient(t, natsconn.Config{Servers: server.URL()})
	config := jsonSource(in)
	stuck := &stuckDecoder{Decoder: config.Decoder, arrived: make(chan struct{}, 1), hold: make(chan struct{})}
	config.Decoder, config.PendingMessages = stuck, limit
	source := subscribe(t, client, config)
	seen := consume(t, in)
	out := publisher(t, server.URL())
	send(t, out, "md.a", quoteJSON(t, 1))
	<-stuck.arrived
	send(t, out, "md.a", haltJSON(t))
	for i := 2; i < sent; i++ {
		send(t, out, "md.a", quoteJSON(t, i))
	}
	flush(t, out)
	eventually(t, "the gap, while the callback is still stuck", func() bool { return len(holesOf(seen.seen())) > 0 })
	eventually(t, "all dropped", func() bool { return source.Stats().Dropped == sent-limit })
	eventually(t, "all counted", func() bool {
		lost := uint64(0)
		for _, hole := range holesOf(seen.seen()) {
			lost += hole.lost
		}
		return lost == sent-limit
	})
	before := len(holesOf(seen.seen()))
	if len(ticksOf(seen.seen())) != 0 {
		t.Errorf("ticks before the callback returned: %+v", seen.seen())
	}

	close(stuck.hold)
	eventually(t, "the queue is empty", func() bool { return source.Stats().Messages == limit })
	eventually(t, "a gap at the hole", func() bool { return len(holesOf(seen.seen())) > before })
	send(t, out, "md.a", quoteJSON(t, 1000))
	eventually(t, "the quote after the hole", func() bool {
		ticks := ticksOf(seen.seen())
		return len(ticks) > 0 && ticks[len(ticks)-1].tick.F[0] == 1000
	})
	var kinds []feed.Kind
	for _, e := range ticksOf(seen.seen()) {
		if e.tick.F[0] != 1 || e.tick.Kind != feed.KindQuote { // the one in hand may or may not
			kinds = append(kinds, e.tick.Kind)
		}
	}
	if len(kinds) != 2 || kinds[0] != feed.KindStatus || kinds[1] != feed.KindQuote {
		t.Errorf("got through: %v", kinds)
	}
	stats := source.Stats()
	if stats.StaleTicks != limit-2 || stats.Messages != limit+1 || stats.Dropped != sent-limit {
		t.Errorf("stats %+v", stats)
	}
	for _, hole := range holesOf(seen.seen()) {
		if hole.hole != feed.GapSlowConsumer {
			t.Errorf("hole %+v", hole)
		}
	}
}

// TestBlockedRing has an engine that does not poll: the callback waits, the queue overflows, closing is bounded, and the
// wait ends when the engine leaves.
func TestBlockedRing(t *testing.T) {
	server := startServer(t)
	in := newInlet(t, 16, feed.FullBlock)
	client, err := Connect(natsconn.Config{Servers: server.URL(), DrainTimeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	config := jsonSource(in)
	config.PendingMessages = 50
	source := subscribe(t, client, config)
	out := publisher(t, server.URL())
	for i := range 17 {
		send(t, out, "md.a", quoteJSON(t, i+1))
	}
	eventually(t, "the callback waits", func() bool { return source.Stats().Inlet.Blocked == 1 })
	for i := range 200 {
		send(t, out, "md.a", quoteJSON(t, i+1))
	}
	flush(t, out)
	eventually(t, "dropped", func() bool { return source.Stats().Dropped == 151 }) // 49 fit behind the one in hand
	if stats := source.Stats(); stats.Inlet.Offered != 16 || stats.Messages != 16 {
		t.Errorf("stats %+v", stats)
	}
	if err := client.Drain(); !errors.Is(err, ErrBlocked) || !errors.Is(err, natsconn.ErrDrainTimeout) {
		t.Errorf("drain: %v", err)
	}
	in.Abandon()
	select {
	case <-source.Done():
	case <-time.After(patience):
		t.Fatal("the callback still waits")
	}
	if err := client.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestStuckSubscriberDoesNotStall has one subscriber that never reads beside a source: the source must get everything.
func TestStuckSubscriberDoesNotStall(t *testing.T) {
	if testing.Short() {
		t.Skip("short: sends tens of megabytes")
	}
	server := startServer(t)
	stuck := rawSubscriber(t, server.URL(), "md.>")
	in := newInlet(t, 1<<12, feed.FullBlock)
	config := jsonSource(in)
	source := subscribe(t, connectClient(t, natsconn.Config{Servers: server.URL()}), config)
	seen := consume(t, in)
	out := publisher(t, server.URL())
	padded := append(quoteJSON(t, 1), make([]byte, 32<<10)...)
	for i := len(quoteJSON(t, 1)); i < len(padded); i++ {
		padded[i] = ' '
	}
	const messages = 2000 // 64 MB: more than the stuck one's buffers in the server and the kernels hold
	for i := range messages {
		send(t, out, "md.a", padded)
		if i%100 == 99 {
			flush(t, out)
		}
	}
	eventually(t, "everything arrived", func() bool { return source.Stats().Messages == messages })
	if holes := holesOf(seen.seen()); len(holes) != 0 || source.Stats().Dropped != 0 {
		t.Errorf("holes %+v, stats %+v", holes, source.Stats())
	}
	_ = stuck.Close()
}

// TestLossBookkeeping drives handle without a server: where holes are marked, message by message.
func TestLossBookkeeping(t *testing.T) {
	in := newInlet(t, 64, feed.FullDrop)
	config := jsonSource(in)
	s := newSource(config)
	poll := func() (quotes int, hole bool) {
		ticks, _ := in.Poll(64)
		_, _, hole = in.Hole()
		n := len(ticks)
		in.Release(n)
		return n, hole
	}
	s.handle(quoteJSON(t, 1))
	if n, hole := poll(); n != 1 || hole {
		t.Fatalf("%d, %v", n, hole)
	}
	s.lost(feed.GapDisconnect, 0) // nothing pending: one gap, and the next message counts
	if _, hole := poll(); !hole || s.lossUntil.Load() != 0 {
		t.Fatal("no gap, or a second one to come")
	}
	s.handle(quoteJSON(t, 2))
	if n, hole := poll(); n != 1 || hole {
		t.Fatalf("%d, %v", n, hole)
	}
	s.lossUntil.Store(4) // messages 3 and 4 are older than a hole
	s.handle(quoteJSON(t, 3))
	if n, hole := poll(); n != 0 || hole {
		t.Fatalf("message 3: %d, %v", n, hole)
	}
	s.handle(haltJSON(t))
	if n, hole := poll(); n != 1 || !hole || s.lossUntil.Load() != 0 {
		t.Fatalf("message 4: %d, %v", n, hole)
	}
	s.lossUntil.Store(4) // noticed only now: message 4 was in hand
	s.handle(quoteJSON(t, 5))
	if _, hole := poll(); !hole || s.lossUntil.Load() != 0 || s.staleTicks.Load() != 1 {
		t.Fatalf("message 5: %v, %d stale", hole, s.staleTicks.Load())
	}
}

func TestHandleDoesNotAllocate(t *testing.T) {
	in := newInlet(t, 1<<10, feed.FullDrop)
	s := newSource(jsonSource(in))
	payload := quoteJSON(t, 1)
	step := func() {
		s.handle(payload)
		ticks, _ := in.Poll(64)
		in.Release(len(ticks))
	}
	step()
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations a message", n)
	}
}

func BenchmarkHandle(b *testing.B) {
	in := newInlet(b, 1<<10, feed.FullDrop)
	config := jsonSource(in)
	for name, payload := range map[string][]byte{"json": quoteJSON(b, 1), "frame of 32": frameOf(b, 32)} {
		config.Clock = feed.NewSystemClock()
		config.Decoder = wire.NewJSONDecoder(feed.DecoderOptions{Symbols: in.Symbols})
		if name != "json" {
			config.Decoder = wire.NewBinaryDecoder(feed.DecoderOptions{Symbols: in.Symbols})
		}
		s := newSource(config)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.handle(payload)
				polled, _ := in.Poll(64)
				in.Release(len(polled))
			}
		})
	}
}
