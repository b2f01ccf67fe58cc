package signal_test

import (
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/signal"
)

func example() (signal.Body, signal.Trailer) {
	b := signal.Body{
		Partition: "main", Generation: 1, Sequence: 90210, OutputSequence: 1,
		Signal: "reversion", Venue: "binance", Symbol: "BTC/USDT", EngineNs: 1_700_000_000_000_000_000,
		Action: signal.ActionEnter, Value: -2.75, Side: 1, Strength: signal.Undefined(),
		Bid: 60000.1, Ask: 60000.2, Last: signal.Undefined(), Flags: signal.FlagGap,
	}
	return b, signal.Trailer{Instance: "engine-a", Epoch: 3, PublishNs: 1_700_000_000_000_009_000, LatencyNs: 9_000}
}

// Decode takes either encoding. An undefined number is a NaN, null in JSON.
func ExampleDecode() {
	payload := []byte(`{"v":1,"partition":"main","gen":1,"seq":"90210","out_seq":"1","signal":"reversion",` +
		`"venue":"binance","symbol":"BTC/USDT","exchange_ns":"0","engine_ns":"1700000000000000000","action":"enter",` +
		`"value":-2.75,"side":1,"strength":null,"horizon_ns":"0","valid_until_ns":"0","bid":60000.1,"ask":60000.2,` +
		`"last":null,"flags":["gap"],"reason":null,` +
		`"instance":"engine-a","epoch":"3","publish_ns":"1700000000000009000","latency_ns":"9000"}`)

	body, trailer, err := signal.Decode(payload)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(body.Action, body.Signal, body.Symbol, body.Value, body.Side)
	fmt.Println("strength undefined:", signal.IsUndefined(body.Strength), "flags:", body.Flags)
	if trailer != nil { // nil in the stream copy
		fmt.Println(trailer.Instance, time.Duration(trailer.LatencyNs))
	}
	// Output:
	// enter reversion BTC/USDT -2.75 1
	// strength undefined: true flags: gap
	// engine-a 9µs
}

// Names come back unescaped.
func ExampleParseSubject() {
	parts, err := signal.ParseSubject("sig.v1.reversion.binance.BTC%2FUSDT")
	fmt.Println(parts.Signal, parts.Venue, parts.Symbol, err)

	// To subscribe to one instrument, escape its names.
	subject, err := signal.Subject(signal.PrefixLive, "reversion", "binance", "BTC/USDT")
	fmt.Println(subject, err)
	// Output:
	// reversion binance BTC/USDT <nil>
	// sig.v1.reversion.binance.BTC%2FUSDT <nil>
}

// A tracker tells what core NATS lost.
func ExampleTracker() {
	var tracker signal.Tracker
	body, trailer := example()
	for _, sequence := range []uint64{1, 2, 5, 5} {
		body.OutputSequence = sequence
		missed, duplicate, restarted := tracker.Observe(&body, &trailer)
		fmt.Println(sequence, missed, duplicate, restarted)
	}
	trailer.Epoch, body.OutputSequence = 4, 1 // the engine was restarted
	missed, duplicate, restarted := tracker.Observe(&body, &trailer)
	fmt.Println(1, missed, duplicate, restarted)
	// Output:
	// 1 0 false false
	// 2 0 false false
	// 5 2 false false
	// 5 0 true false
	// 1 0 false true
}

// A consumer end to end: subscribe, decode, watch for losses. An embedded server and a hand-made signal stand for the engine.
func Example_consumer() {
	broker, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	broker.Start()
	defer broker.Shutdown()
	if !broker.ReadyForConnections(10 * time.Second) {
		fmt.Println("no server")
		return
	}
	conn, err := nats.Connect(broker.ClientURL())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()

	// The consumer. One callback at a time, so the tracker needs no lock.
	var tracker signal.Tracker
	done := make(chan struct{})
	_, err = conn.Subscribe("sig.v1.reversion.>", func(m *nats.Msg) {
		defer close(done)
		body, trailer, err := signal.Decode(m.Data)
		if err != nil {
			fmt.Println("not acted upon:", err)
			return
		}
		if missed, duplicate, restarted := tracker.Observe(&body, trailer); duplicate || restarted || missed > 0 {
			fmt.Println("resynchronise:", missed, duplicate, restarted)
			return
		}
		fmt.Println(m.Subject, body.Action, body.Side, "by", trailer.Instance)
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	// The engine.
	body, trailer := example()
	subject, err := signal.Subject(signal.PrefixLive, body.Signal, body.Venue, body.Symbol)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := conn.Publish(subject, signal.AppendJSON(nil, &body, &trailer)); err != nil {
		fmt.Println(err)
		return
	}
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		fmt.Println("nothing came")
	}
	// Output:
	// sig.v1.reversion.binance.BTC%2FUSDT enter 1 by engine-a
}
