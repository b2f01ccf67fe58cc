package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed/codec"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testdata"
	"github.com/sigengine/sigengine/internal/testnats"
	"pgregory.net/rapid"
)

// played plays a capture at full speed and returns what a subscriber received.
func played(t *testing.T, in string, args ...string) (c *commandLine, messages []string) {
	t.Helper()
	server := startServer(t)
	nc, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	subscription, err := nc.SubscribeSync("md.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	c = &commandLine{in: in}
	if code := c.run(t.Context(), append([]string{"play", "--server", server.URL(), "--subject", "md.test"}, args...)...); code != exitOK {
		t.Fatalf("code %d: %s", code, c.err.String())
	}
	if err := nc.Flush(); err != nil { // the server has passed on all that was before
		t.Fatal(err)
	}
	for {
		m, err := subscription.NextMsg(20 * time.Millisecond)
		if err != nil {
			return c, messages
		}
		messages = append(messages, string(m.Data))
	}
}

const quoteLine = `{"u":1,"s":"BTCUSDT","b":"1.5","B":"2","a":"1.6","A":"3"}`

func TestPlay(t *testing.T) {
	in := "1000 " + quoteLine + "\n\n2000 {\"e\":\"kline\",\"E\":1}\n2500 not json\n"
	c, messages := played(t, in, "-", "--codec", "binance-spot", "--json")
	want := []string{quoteLine, `{"e":"kline","E":1}`, "not json"}
	if strings.Join(messages, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", messages)
	}
	var s playSummary
	if err := json.Unmarshal([]byte(c.out.String()), &s); err != nil {
		t.Fatal(err)
	}
	if s.Messages != 3 || s.Decoded != 1 || s.Ticks != 1 || len(s.Rejected) == 0 || s.Bytes != uint64(len(strings.Join(want, ""))) {
		t.Errorf("%+v", s)
	}
}

// TestPlayCaptures plays the genuine captures: every message arrives as it was, and every one is accounted for.
func TestPlayCaptures(t *testing.T) {
	for file, name := range map[string]string{
		"captures/hftbacktest/binance_spot_btcusdt_20240808.head6000.jsonl": codec.BinanceSpot,
		"captures/hftbacktest/binance_usdm_btcusdt_20240808.head5000.jsonl": codec.BinanceUSDM,
	} {
		path := testdata.Shared(t, strings.Split(file, "/")...)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(data)) {
			if _, message, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " "); ok {
				want = append(want, message)
			}
		}
		c, got := played(t, "", path, "--codec", name, "--speed", "max", "--json")
		if len(got) != len(want) {
			t.Fatalf("%s: %d messages, want %d", file, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s: message %d differs", file, i)
			}
		}
		var s playSummary
		if err := json.Unmarshal([]byte(c.out.String()), &s); err != nil {
			t.Fatal(err)
		}
		verdicts := s.Decoded
		for _, n := range s.Ignored {
			verdicts += n
		}
		if s.Messages != uint64(len(want)) || verdicts != s.Messages || len(s.Rejected) != 0 || s.Ticks == 0 {
			t.Errorf("%s: %+v", file, s)
		}
	}
}

func TestPlayBadLine(t *testing.T) {
	server := startServer(t)
	c := commandLine{in: "1 {}\nhello\n"}
	code := c.run(t.Context(), "play", "-", "--codec", "json", "--subject", "a", "--server", server.URL(), "--log-level", "error")
	if want := "sigengine: capture line 2: line does not begin with a receive time in nanoseconds and a space; a line is a receive time in nanoseconds, a space and the message\n"; code != exitRuntime || c.err.String() != want {
		t.Errorf("code %d, %q", code, c.err.String())
	}
}

// TestPlayInterrupted interrupts a wait of an hour.
func TestPlayInterrupted(t *testing.T) {
	server := startServer(t)
	nc, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	subscription, err := nc.SubscribeSync("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := commandLine{in: fmt.Sprintf("0 {}\n%d {}\n", time.Hour)}
	done := make(chan int, 1)
	go func() { done <- c.run(ctx, "play", "-", "--codec", "json", "--subject", "a", "--server", server.URL()) }()
	if _, err := subscription.NextMsg(20 * time.Second); err != nil {
		t.Fatal(err)
	}
	cancel()
	if code := <-done; code != exitInterrupted || !strings.Contains(c.err.String(), "msg=played messages=1") {
		t.Errorf("code %d, %s", code, c.err.String())
	}
}

func TestPlayRetime(t *testing.T) {
	before := time.Now().UnixNano()
	in := "5000000000 {\"E\":5000,\"T\":4900}\n"
	_, messages := played(t, in, "-", "--codec", "binance-usdm", "--retime")
	var m struct{ E, T int64 }
	if err := json.Unmarshal([]byte(messages[0]), &m); err != nil {
		t.Fatal(err)
	}
	if m.E < before/1e6 || m.E > time.Now().UnixMilli() || m.E-m.T != 100 {
		t.Errorf("got %+v, before was %d", m, before/1e6)
	}
}

// playing is a play of lines that a test gives one by one.
type playing struct {
	commandLine
	server *natsserver.Server
	lines  *io.PipeWriter
	done   chan int
}

// startPlaying plays until the test closes the lines, and has received the first.
func startPlaying(t *testing.T, wait string) *playing {
	t.Helper()
	lines, feedLine := io.Pipe()
	p := &playing{server: startServer(t), lines: feedLine, done: make(chan int, 1)}
	next := receiver(t, p.server.URL())
	a := &app{in: lines, out: &p.out, err: &p.err, lookupEnv: func(string) (string, bool) { return "", false }}
	go func() {
		p.done <- a.execute(t.Context(), []string{
			"play", "-", "--codec", "json", "--subject", "a", "--speed", "max", "--server", p.server.URL(), "--log-level", "warn", "--json", "--wait", wait,
		})
		lines.Close() // whoever still writes gets an error
	}()
	fmt.Fprintln(feedLine, "1 {}")
	if got := next(); got != "{}" {
		t.Fatal(got)
	}
	return p
}

// receiver subscribes and returns what waits for the next message.
func receiver(t *testing.T, url string) (next func() string) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	subscription, err := nc.SubscribeSync("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		t.Helper()
		message, err := subscription.NextMsg(20 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return string(message.Data)
	}
}

// TestPlayServerGone: a message that cannot be sent ends the command when it has waited long enough, and nothing is sent later.
func TestPlayServerGone(t *testing.T) {
	p := startPlaying(t, "50ms")
	p.server.Close()
	p.err.waitFor(t, "connection lost; trying again")
	fmt.Fprintln(p.lines, "2 {}")
	const want = "sigengine: line 2: the server has been away for 50ms; 1 messages were sent, and the last of them may be lost"
	if code := <-p.done; code != exitRuntime || !strings.Contains(p.err.String(), want) {
		t.Errorf("code %d, %s", code, p.err.String())
	}
}

// TestPlayServerBack: a server that comes back gets the rest.
func TestPlayServerBack(t *testing.T) {
	p := startPlaying(t, "20s")
	p.server.Close()
	p.err.waitFor(t, "connection lost; trying again")
	fmt.Fprintln(p.lines, `2 {"second":2}`) // read, and kept until there is a server
	next := receiver(t, testnats.Restart(t, p.server.Port()).URL())
	p.err.waitFor(t, "connected again")
	fmt.Fprintln(p.lines, `3 {"third":3}`)
	p.lines.Close()
	if code := <-p.done; code != exitOK || !strings.Contains(p.out.String(), `"messages":3,`) {
		t.Errorf("code %d, %s%s", code, p.out.String(), p.err.String())
	}
	got := next()
	for got != `{"third":3}` {
		got = next()
	}
}

func TestPace(t *testing.T) {
	for _, test := range []struct {
		speed float64
		ns    int64
		want  time.Duration
	}{
		{1, 1_700_000_000_000_000_007, 7},
		{10, 1_700_000_000_000_000_000 + int64(time.Second), 100 * time.Millisecond},
		{0, 1_700_000_000_000_000_000 + int64(time.Second), time.Second},
		{1, 1_700_000_000_000_000_000 - 5, -5},
		{0.001, math.MinInt64, 0},
	} {
		p := pace{speed: test.speed, firstNs: 1_700_000_000_000_000_000}
		if got := p.since(test.ns); (got - test.want).Abs() > 100 { // a float64 of Unix nanoseconds has steps of 256
			t.Errorf("speed %v, %d: got %v, want %v", test.speed, test.ns, got, test.want)
		}
	}
}

func TestPaceWait(t *testing.T) {
	p := pace{speed: 1}
	clock := time.Unix(100, 0)
	now := func() time.Time { return clock }
	ctx, cancel := context.WithCancel(t.Context())
	for _, ns := range []int64{5, 5, -100, 5 + int64(time.Second)} {
		if ns > 5 {
			clock = clock.Add(time.Second) // it is due
		}
		if err := p.wait(ctx, ns, now); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := p.wait(ctx, 5, now); err == nil {
		t.Error("a cancelled wait returned nothing")
	}
}

func TestParseSpeed(t *testing.T) {
	for text, want := range map[string]float64{"max": 0, "1": 1, "0.5": 0.5, "1e3": 1000} {
		if got, err := parseSpeed(text); err != nil || got != want {
			t.Errorf("%s: got %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "fast", "NaN", "Inf", "1e9"} {
		if _, err := parseSpeed(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestRetime(t *testing.T) {
	add := func(ns int64) int64 { return ns + 7_000_000 }
	for _, test := range []struct{ codec, in, want string }{
		{codec.BinanceSpot, `{"E":1000, "T" : 2000,"t":3,"x":"E","y":["T",5]}`, `{"E":1007, "T" : 2007,"t":3,"x":"E","y":["T",5]}`},
		{codec.BinanceUSDM, `{"data":{"E":"1000","s":"\"E\":5","T":9}}`, `{"data":{"E":"1007","s":"\"E\":5","T":16}}`},
		{codec.BinanceSpot, `{"E":"10x","T":1.5,"E":1e3,"T":null,"E":0,"T":-1}`, `{"E":"10x","T":1.5,"E":1e3,"T":null,"E":0,"T":-1}`},
		{codec.BinanceSpot, `{"E":99999999999999999999,"T":9223372036854775807}`, `{"E":99999999999999999999,"T":9223372036854775807}`},
		{codec.JSON, `[{"ts":1000},{"ts":"2000","E":1}]`, `[{"ts":7001000},{"ts":"7002000","E":1}]`},
		{codec.BinanceSpot, `{"x":"\"","E":5000}`, `{"x":"\"","E":5007}`},
		{codec.JSON, `{"ts":5`, `{"ts":5`},
		{codec.JSON, `"ts":"5`, `"ts":"5`},
		{codec.JSON, `"ts`, `"ts`},
		{codec.JSON, ``, ``},
	} {
		r := newRetimer(test.codec)
		for range 2 { // its buffer is used again
			if got := string(r.move([]byte(test.in), add)); got != test.want {
				t.Errorf("%s: got %s, want %s", test.in, got, test.want)
			}
		}
	}
}

// TestRetimeNothing: a shift by nothing changes nothing, whatever the bytes.
func TestRetimeNothing(t *testing.T) {
	parts := rapid.SampledFrom([]string{`"ts"`, `"`, ":", "1", "20", " ", `\`, "{", "}", ",", "ts", "e", "."})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(parts).Draw(t, "text"), "")
		if got := string(newRetimer(codec.JSON).move([]byte(text), func(ns int64) int64 { return ns })); got != text {
			t.Fatalf("got %q from %q", got, text)
		}
	})
}

func TestProgress(t *testing.T) {
	var b strings.Builder
	p := newProgress(&b, 1000)
	p.step(10, 100, p.start.Add(time.Second))
	if b.Len() != 0 {
		t.Errorf("too soon: %q", b.String())
	}
	p.step(10, 250, p.start.Add(10*time.Second))
	p.end()
	if want := "2 messages, 0 a second, 25 %, about 30s left\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	out := bufio.NewWriter(&b)
	if q := newProgress(out, 0); q.terminal || q.line(10, q.start.Add(2*time.Second)) != "0 messages, 0 a second" {
		t.Errorf("%+v", q)
	}
}
