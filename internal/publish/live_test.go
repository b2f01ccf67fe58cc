package publish

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
	"github.com/sigengine/sigengine/signal"
)

const patience = 30 * time.Second

func connectTo(t *testing.T, url string) *natsconn.Connection {
	t.Helper()
	c, err := natsconn.Connect(natsconn.Config{Servers: url}, natsconn.Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestOutage publishes through a server that goes away and comes back: what was decided meanwhile is refused and never
// delivered late, and the consumer's tracker sees how much that was.
func TestOutage(t *testing.T) {
	server := testnats.Start(t, natsserver.Config{})
	out, in := connectTo(t, server.URL()), connectTo(t, server.URL())
	got := make(chan signal.Body, 100)
	var tracker signal.Tracker
	missed := uint64(0)
	if _, err := in.Subscribe("sig.v1.>", func(m *nats.Msg) {
		body, trailer, err := signal.Decode(m.Data)
		if err != nil {
			t.Errorf("%s: %v", m.Data, err)
			return
		}
		lost, _, _ := tracker.Observe(&body, trailer)
		missed += lost
		got <- body
	}); err != nil {
		t.Fatal(err)
	}
	if err := in.Flush(patience); err != nil {
		t.Fatal(err)
	}
	clock := feed.NewManualClock(1)
	sink, err := NewNATSSink(NATSConfig{Conn: out, Clock: clock, Instance: "test"})
	if err != nil {
		t.Fatal(err)
	}
	sequence := uint64(0)
	emit := func() Result {
		sequence++
		body := testBody("A", sequence)
		return Result(sink.Emit(0, &body, 0))
	}
	next := func() signal.Body {
		t.Helper()
		select {
		case body := <-got:
			return body
		case <-time.After(patience):
			t.Fatal("nothing came")
			return signal.Body{}
		}
	}
	if result := emit(); result != Published || next().OutputSequence != 1 {
		t.Fatal(result)
	}
	server.Close()
	eventually(t, "both noticed", func() bool { return out.Stats().Disconnects == 1 && in.Stats().Disconnects == 1 })
	for range 10 {
		if result := emit(); result != ErrorDisconnected {
			t.Fatal(result)
		}
	}
	testnats.Restart(t, server.Port())
	eventually(t, "both back", func() bool { return out.Connected() && in.Connected() })
	if err := in.Flush(patience); err != nil { // its subscription is in place
		t.Fatal(err)
	}
	if result := emit(); result != Published {
		t.Fatal(result)
	}
	if body := next(); body.OutputSequence != 12 {
		t.Errorf("after the outage came number %d, decided in it", body.OutputSequence)
	}
	if missed != 10 {
		t.Errorf("the tracker missed %d", missed)
	}
	if stats := sink.Stats(); stats.Results[Published] != 2 || stats.Results[ErrorDisconnected] != 10 {
		t.Errorf("stats %+v", stats)
	}
	out.Close()
	if result := emit(); result != ErrorDisconnected {
		t.Errorf("closed: %v", result)
	}
}
