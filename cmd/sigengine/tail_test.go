package main

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/sigengine/sigengine/internal/testnats"
	"github.com/sigengine/sigengine/signal"
)

func testBody(outputSequence uint64) signal.Body {
	return signal.Body{
		Version: signal.Version, Partition: "main", Generation: 1, Sequence: 100 + outputSequence, OutputSequence: outputSequence,
		Signal: "reversion", Venue: "binance", Symbol: "BTCUSDT", EngineNs: 1_700_000_000_123_456_789, Action: signal.ActionEnter,
		Value: 2.7182818284, Side: -1, Strength: signal.Undefined(), Bid: 61837.63, Ask: 61837.64, Last: signal.Undefined(),
	}
}

// tailed runs tail while publish sends messages, and returns what it printed.
func tailed(t *testing.T, args []string, publish func(*nats.Conn)) *commandLine {
	t.Helper()
	server := startServer(t)
	c := &commandLine{}
	done := make(chan int, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { done <- c.run(ctx, append([]string{"tail", "--server", server.URL()}, args...)...) }()
	c.err.waitFor(t, "listening")
	nc, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	publish(nc)
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	c.err.waitFor(t, "msg=ended")
	if code := <-done; code != exitOK {
		t.Errorf("code %d: %s", code, c.err.String())
	}
	return c
}

// publishMixed publishes in both forms, with a hole, a duplicate, a restart, and something that is no signal.
func publishMixed(nc *nats.Conn) {
	trailer := signal.Trailer{Instance: "a", Epoch: 1, PublishNs: 5, LatencyNs: 12_345}
	send := func(b signal.Body, t signal.Trailer, binary bool) {
		subject, _ := signal.Subject(signal.PrefixLive, b.Signal, b.Venue, b.Symbol)
		payload := signal.AppendJSON(nil, &b, &t)
		if binary {
			payload = signal.AppendBinaryTrailer(signal.AppendBinary(nil, &b), &t)
		}
		_ = nc.Publish(subject, payload) // the flush after tells
	}
	send(testBody(1), trailer, false)
	_ = nc.Publish("sig.v1.reversion.binance.BTCUSDT", []byte("nonsense"))
	send(testBody(5), trailer, true)
	send(testBody(5), trailer, false)
	odd := testBody(6)
	odd.Action, odd.Reason, odd.Flags = signal.ActionWithdraw, signal.ReasonHalt, signal.FlagGap|signal.FlagHalted
	odd.Value, odd.Bid = signal.Undefined(), signal.Undefined()
	send(odd, trailer, true)
	other := testBody(1)
	other.Signal, other.Symbol = "flow", "a\x1b[2J long symbol that makes its column wider than it was before"
	send(other, trailer, false)
	trailer.Epoch = 2
	send(testBody(3), trailer, false)
}

func TestTail(t *testing.T) {
	c := tailed(t, []string{"--count", "6"}, publishMixed)
	golden(t, "tail.txt", c.out.String())
	for _, want := range []string{
		"msg=\"not a signal\" subject=sig.v1.reversion.binance.BTCUSDT",
		"msg=\"signals missed\" subject=sig.v1.reversion.binance.BTCUSDT missed=3",
		"msg=\"seen before\" subject=sig.v1.reversion.binance.BTCUSDT out_seq=5",
		"msg=\"another engine run took over\" subject=sig.v1.reversion.binance.BTCUSDT missed_at_least=2",
		"msg=ended signals=6 missed=5 bad=1",
	} {
		if !strings.Contains(c.err.String(), want) {
			t.Errorf("no %q in\n%s", want, c.err.String())
		}
	}
}

// TestTailJSON: both forms come out as the JSON form, which reads back.
func TestTailJSON(t *testing.T) {
	c := tailed(t, []string{"--count", "6", "--json"}, publishMixed)
	lines := strings.Split(strings.TrimSuffix(c.out.String(), "\n"), "\n")
	if len(lines) != 6 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		body, trailer, err := signal.DecodeJSON([]byte(line))
		if err != nil || trailer == nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if again := string(signal.AppendJSON(nil, &body, trailer)); again != line {
			t.Errorf("line %d: got %s, again %s", i+1, line, again)
		}
	}
}

// TestTailReconnects: tail outlives its server and says what that means.
func TestTailReconnects(t *testing.T) {
	server := startServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	var c commandLine
	done := make(chan int, 1)
	go func() { done <- c.run(ctx, "tail", "--server", server.URL()) }()
	c.err.waitFor(t, "listening")
	server.Close()
	c.err.waitFor(t, "connection lost; trying again")
	testnats.Restart(t, server.Port())
	c.err.waitFor(t, "connected again; what was sent in between is lost")
	cancel()
	if code := <-done; code != exitInterrupted {
		t.Errorf("code %d, %s", code, c.err.String())
	}
}

func TestTailSubject(t *testing.T) {
	server := startServer(t)
	var c commandLine
	if code := c.run(t.Context(), "tail", "--server", server.URL(), "--subject", "a b"); code != exitUsage || !strings.Contains(c.err.String(), "is no subject") {
		t.Errorf("code %d, %s", code, c.err.String())
	}
}

func TestTailConfig(t *testing.T) {
	server := startServer(t)
	file := writeFile(t, "engine.yaml", "version: 1\nnats: {url: \""+server.URL()+"\"}\n")
	ctx, cancel := context.WithCancel(t.Context())
	var c commandLine
	done := make(chan int, 1)
	go func() { done <- c.run(ctx, "tail", "-c", file) }()
	c.err.waitFor(t, "listening")
	cancel()
	if code := <-done; code != exitInterrupted {
		t.Errorf("code %d, %s", code, c.err.String())
	}
	var bad commandLine
	if code := bad.run(t.Context(), "tail", "-c", writeFile(t, "bad.yaml", "version: 2\n")); code != exitUsage || !strings.Contains(bad.err.String(), "bad.yaml:1:10: version is 2") {
		t.Errorf("code %d, %s", code, bad.err.String())
	}
}
