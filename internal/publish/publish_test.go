package publish

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/signal"
)

var (
	_ engine.Sink = (*NATSSink)(nil)
	_ engine.Sink = (*MemorySink)(nil)
	_ engine.Sink = (*DiscardSink)(nil)
	_ engine.Sink = (*HashSink)(nil)
)

// fakeConn keeps the last message, or fails.
type fakeConn struct {
	subject string
	data    []byte
	calls   int
	err     error
}

func (f *fakeConn) Publish(subject string, data []byte) error {
	f.calls++
	if f.err != nil {
		return f.err
	}
	f.subject, f.data = subject, append(f.data[:0], data...)
	return nil
}

func testBody(symbol string, sequence uint64) signal.Body {
	return signal.Body{
		Version: signal.Version, Partition: "p0", Sequence: sequence, OutputSequence: sequence, Signal: "reversion",
		Venue: "sim", Symbol: symbol, ExchangeNs: 5, EngineNs: 1_000, Action: signal.ActionEnter,
		Value: 2.75, Side: -1, Strength: signal.Undefined(), Bid: 99.5, Ask: 100.5, Last: signal.Undefined(),
	}
}

func newSink(t testing.TB, conn Conn, change func(*NATSConfig)) (*NATSSink, *feed.ManualClock) {
	t.Helper()
	clock := feed.NewManualClock(10_000)
	config := NATSConfig{Conn: conn, Clock: clock, Instance: "test", Epoch: 3, Pairs: 4}
	if change != nil {
		change(&config)
	}
	sink, err := NewNATSSink(config)
	if err != nil {
		t.Fatal(err)
	}
	return sink, clock
}

func TestEmitEncodesBodyAndTrailer(t *testing.T) {
	for _, encoding := range []Encoding{JSON, Binary} {
		conn := &fakeConn{}
		sink, _ := newSink(t, conn, func(c *NATSConfig) { c.Encoding = encoding })
		body := testBody("BRK.B", 7)
		if got := Result(sink.Emit(2, &body, 9_400)); got != Published {
			t.Fatalf("encoding %d: %v", encoding, got)
		}
		if conn.subject != "sig.v1.reversion.sim.BRK%2EB" {
			t.Errorf("subject %q", conn.subject)
		}
		got, trailer, err := signal.Decode(conn.data)
		if err != nil {
			t.Fatal(err)
		}
		if got.Symbol != "BRK.B" || got.OutputSequence != 7 || got.Value != 2.75 || !signal.IsUndefined(got.Last) {
			t.Errorf("encoding %d: body %+v", encoding, got)
		}
		want := signal.Trailer{Instance: "test", Epoch: 3, PublishNs: 10_000, LatencyNs: 600}
		if trailer == nil || *trailer != want {
			t.Errorf("encoding %d: trailer %+v, want %+v", encoding, trailer, want)
		}
		if json := strings.HasPrefix(string(conn.data), "{"); json != (encoding == JSON) {
			t.Errorf("encoding %d wrote %q", encoding, conn.data[:1])
		}
		if stats := sink.Stats(); stats.Results[Published] != 1 || stats.Bytes != uint64(len(conn.data)) {
			t.Errorf("stats %+v", stats)
		}
	}
}

func TestEmitResults(t *testing.T) {
	wrapped := fmt.Errorf("some way down: %w", nats.ErrReconnectBufExceeded)
	for _, c := range []struct {
		err  error
		want Result
	}{
		{nil, Published},
		{wrapped, ErrorDisconnected},
		{nats.ErrConnectionClosed, ErrorDisconnected},
		{nats.ErrConnectionDraining, ErrorDisconnected},
		{nats.ErrMaxPayload, ErrorOther},
		{io.ErrShortWrite, ErrorOther},
	} {
		conn := &fakeConn{err: c.err}
		sink, _ := newSink(t, conn, nil)
		body := testBody("A", 1)
		if got := Result(sink.Emit(0, &body, 0)); got != c.want || sink.Stats().Results[c.want] != 1 {
			t.Errorf("%v: %v, counted %v", c.err, got, sink.Stats().Results)
		}
		if c.err != nil && sink.Stats().Bytes != 0 {
			t.Errorf("%v: bytes counted", c.err)
		}
	}
}

func TestEmitRefusesWhatCannotBeEncoded(t *testing.T) {
	conn := &fakeConn{}
	sink, _ := newSink(t, conn, nil)
	for name, spoil := range map[string]func(*signal.Body){
		"no symbol":   func(b *signal.Body) { b.Symbol = "" },
		"long venue":  func(b *signal.Body) { b.Venue = strings.Repeat("v", 300) },
		"no sequence": func(b *signal.Body) { b.OutputSequence = 0 },
		"no action":   func(b *signal.Body) { b.Action = 0 },
	} {
		body := testBody("A", 1)
		spoil(&body)
		if got := Result(sink.Emit(1, &body, 0)); got != ErrorOther || conn.calls != 0 {
			t.Errorf("%s: %v, %d published", name, got, conn.calls)
		}
	}
}

func TestExpiry(t *testing.T) {
	for _, c := range []struct {
		name     string
		action   signal.Action
		validNs  int64 // life
		waitedNs int64
		want     Result
	}{
		{"fresh", signal.ActionEnter, 500, 500, Published},
		{"late enter", signal.ActionEnter, 500, 501, Expired},
		{"late update", signal.ActionUpdate, 500, 501, Expired},
		{"late exit", signal.ActionExit, 500, 501, Published},
		{"late withdraw", signal.ActionWithdraw, 500, 501, Published},
		{"never expires", signal.ActionEnter, 0, 1 << 40, Published},
	} {
		conn := &fakeConn{}
		sink, clock := newSink(t, conn, nil)
		body := testBody("A", 1)
		body.Action = c.action
		if c.validNs > 0 {
			body.ValidUntilNs = body.EngineNs + c.validNs
		}
		const receiveNs = 1 << 50 // far from engine time: the two are never compared
		clock.Set(receiveNs + c.waitedNs)
		if got := Result(sink.Emit(0, &body, receiveNs)); got != c.want || (conn.calls == 1) != (c.want == Published) {
			t.Errorf("%s: %v, %d published; want %v", c.name, got, conn.calls, c.want)
		}
	}
}

func TestEmitDoesNotAllocate(t *testing.T) {
	for _, encoding := range []Encoding{JSON, Binary} {
		conn := &fakeConn{data: make([]byte, 0, signal.JSONBytesMax)}
		sink, _ := newSink(t, conn, func(c *NATSConfig) { c.Encoding = encoding })
		bodies := []signal.Body{testBody("A", 1), testBody("B", 2)}
		emit := func() {
			for i := range bodies {
				sink.Emit(uint32(i), &bodies[i], 9_000)
			}
		}
		emit()
		if n := testing.AllocsPerRun(1000, emit); n != 0 {
			t.Errorf("encoding %d: %v allocations", encoding, n)
		}
	}
}

func TestPairsBeyondTheFirstRoom(t *testing.T) {
	conn := &fakeConn{}
	sink, _ := newSink(t, conn, func(c *NATSConfig) { c.Pairs = 0 })
	for _, pair := range []uint32{0, 9, 3, 9} {
		body := testBody(fmt.Sprintf("S%d", pair), 1)
		if got := Result(sink.Emit(pair, &body, 0)); got != Published {
			t.Fatal(got)
		}
		if want := fmt.Sprintf("sig.v1.reversion.sim.S%d", pair); conn.subject != want {
			t.Errorf("pair %d on %q", pair, conn.subject)
		}
	}
}

func TestNewNATSSinkErrors(t *testing.T) {
	for name, spoil := range map[string]func(*NATSConfig){
		"no connection": func(c *NATSConfig) { c.Conn = nil },
		"no clock":      func(c *NATSConfig) { c.Clock = nil },
		"encoding":      func(c *NATSConfig) { c.Encoding = 2 },
		"prefix":        func(c *NATSConfig) { c.Prefix = "sig..v1" },
		"wildcard":      func(c *NATSConfig) { c.Prefix = "sig.*" },
		"no instance":   func(c *NATSConfig) { c.Instance = "" },
		"long instance": func(c *NATSConfig) { c.Instance = strings.Repeat("i", 65) },
	} {
		config := NATSConfig{Conn: &fakeConn{}, Clock: feed.NewManualClock(0), Instance: "test"}
		spoil(&config)
		if _, err := NewNATSSink(config); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOtherSinks(t *testing.T) {
	bodies := []signal.Body{testBody("A", 1), testBody("B", 2)}
	memory, discard := &MemorySink{}, &DiscardSink{}
	through, direct := signal.NewOutputHash(), signal.NewOutputHash()
	hashing := NewHashSink(through)
	for i := range bodies {
		for _, sink := range []engine.Sink{memory, discard, hashing} {
			if got := sink.Emit(uint32(i), &bodies[i], 1); got != 0 {
				t.Errorf("%T: result %d", sink, got)
			}
		}
		direct.Add(&bodies[i])
		bodies[i].Symbol = "reused" // the engine reuses its body
	}
	if len(memory.Bodies) != 2 || memory.Bodies[0].Symbol != "A" || memory.Pairs[1] != 1 {
		t.Errorf("memory sink kept %+v of %v", memory.Bodies, memory.Pairs)
	}
	if discard.Count() != 2 || through.Sum() != direct.Sum() || through.Count() != 2 {
		t.Errorf("discarded %d, hashes %s and %s", discard.Count(), through.Sum(), direct.Sum())
	}
}

func TestResultNames(t *testing.T) {
	seen := map[string]bool{}
	for r := range Result(ResultCount) {
		if name := r.String(); name == "" || name == "unknown" || seen[name] {
			t.Errorf("result %d is called %q", r, name)
		} else {
			seen[name] = true
		}
	}
	if Result(200).String() != "unknown" {
		t.Error("unknown result has a name")
	}
}

func BenchmarkEmit(b *testing.B) {
	for _, encoding := range []Encoding{JSON, Binary} {
		b.Run([]string{"json", "binary"}[encoding], func(b *testing.B) {
			conn := &fakeConn{data: make([]byte, 0, signal.JSONBytesMax)}
			sink, _ := newSink(b, conn, func(c *NATSConfig) { c.Encoding = encoding })
			body := testBody("A", 1)
			b.ReportAllocs()
			for b.Loop() {
				sink.Emit(0, &body, 9_000)
			}
		})
	}
}
