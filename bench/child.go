package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/signal"
)

// ChildFeed is what a feed process does: it publishes a market on a server for some time. Exchange times are when a
// tick was due by this machine's clock, so that what the feed itself delays counts too.
type ChildFeed struct {
	URL        string
	Rate       float64
	Length     time.Duration
	Binary     bool
	PerMessage int
	Symbols    int
}

// Run publishes and returns what was sent.
func (f ChildFeed) Run(ctx context.Context) (sim.PublisherStats, error) {
	connection, err := natsconn.Connect(natsconn.Config{Servers: f.URL, Name: "sigengine/bench feed"}, natsconn.Handlers{})
	if err != nil {
		return sim.PublisherStats{}, err
	}
	defer connection.Close()
	clock := feed.NewSystemClock()
	c := sim.Default()
	c.RatePerSecond, c.Instruments, c.StartNs = f.Rate, f.Symbols, clock.NowNs()
	market, err := sim.New(c)
	if err != nil {
		return sim.PublisherStats{}, err
	}
	codec := sim.JSON
	if f.Binary {
		codec = sim.Binary
	}
	p, err := sim.NewPublisher(sim.PublisherConfig{
		Market: market, Clock: clock, Send: connection.Publish, Codec: codec, TicksPerMessage: f.PerMessage, Session: uint64(clock.NowNs()),
	})
	if err != nil {
		return sim.PublisherStats{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.Length)
	defer cancel()
	p.Run(ctx.Done())
	return p.Stats(), connection.Drain()
}

// Latencies are what a consumer process saw: from when a tick was due to when the message it led to was received.
type Latencies struct {
	Messages int64   `json:"messages"`
	P50Us    float64 `json:"p50_us"`
	P99Us    float64 `json:"p99_us"`
	P999Us   float64 `json:"p999_us"`
	MaxUs    float64 `json:"max_us"`
}

// ChildConsume is what a consumer process does: it says "ready" on out, receives until in is closed, and says what it saw.
func ChildConsume(url, subject string, in io.Reader, out io.Writer) error {
	nc, err := nats.Connect(url)
	if err != nil {
		return fmt.Errorf("bench: consumer: %w", err)
	}
	defer nc.Close()
	clock := feed.NewSystemClock()
	seen := hdrhistogram.New(1, int64(time.Minute), 3)
	if _, err := nc.Subscribe(subject, func(m *nats.Msg) {
		if dueNs := dueNs(m.Data); dueNs > 0 {
			_ = seen.RecordValue(max(clock.NowNs()-dueNs, 1)) // above a minute is left out
		}
	}); err != nil {
		return fmt.Errorf("bench: consumer: %w", err)
	}
	if err := nc.Flush(); err != nil {
		return fmt.Errorf("bench: consumer: %w", err)
	}
	fmt.Fprintln(out, "ready")
	_, _ = io.Copy(io.Discard, in)
	if err := nc.Drain(); err != nil {
		return fmt.Errorf("bench: consumer: %w", err)
	}
	for deadline := time.Now().Add(5 * time.Second); !nc.IsClosed() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	at := func(p float64) float64 { return round(float64(seen.ValueAtPercentile(p)) / 1e3) }
	return json.NewEncoder(out).Encode(Latencies{seen.TotalCount(), at(50), at(99), at(99.9), at(100)})
}

// Received is what a process that only receives cost.
type Received struct {
	Messages uint64          `json:"messages"`
	Process  metrics.Process `json:"process"`
}

// ChildReceive is what the plainest of subscribers does, for comparison: it says "ready" on out, receives until in is closed and
// does nothing with what comes, and says what that cost.
func ChildReceive(url, subject string, in io.Reader, out io.Writer) error {
	connection, err := natsconn.Connect(natsconn.Config{Servers: url, Name: "sigengine/bench receive"}, natsconn.Handlers{})
	if err != nil {
		return err
	}
	var messages atomic.Uint64
	_, err = connection.Subscribe(subject, func(*nats.Msg) { messages.Add(1) })
	if err == nil {
		err = connection.Flush(natsconn.DefaultConnectTimeout)
	}
	if err != nil {
		connection.Close()
		return fmt.Errorf("bench: receiver: %w", err)
	}
	fmt.Fprintln(out, "ready")
	began := metrics.ReadProcess()
	_, _ = io.Copy(io.Discard, in)
	err = connection.Drain()
	process := metrics.ReadProcess()
	r := Received{Messages: messages.Load(), Process: process.Since(&began)}
	return errors.Join(err, json.NewEncoder(out).Encode(&r))
}

// dueNs returns the exchange time of a signal or of a native JSON tick, 0 if there is none.
func dueNs(payload []byte) int64 {
	if body, _, err := signal.Decode(payload); err == nil {
		return body.ExchangeNs
	}
	var tick struct {
		TS int64 `json:"ts"`
	}
	if json.Unmarshal(payload, &tick) != nil {
		return 0
	}
	return tick.TS
}

// child is a process of this program, started with arguments that make it a feed or a consumer.
type child struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// spawn starts this program's binary again.
func spawn(arguments ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	c := &child{command: exec.Command(self, append([]string{"bench", "child"}, arguments...)...)}
	c.command.Stderr = os.Stderr
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	c.out = bufio.NewReader(out)
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return c, nil
}

// result closes the child's input, reads its last line into v and waits for its end.
func (c *child) result(v any) error {
	err := c.in.Close()
	if err == nil {
		err = json.NewDecoder(c.out).Decode(v)
	}
	if waitErr := c.command.Wait(); err == nil {
		err = waitErr
	}
	if err != nil {
		return fmt.Errorf("bench: child process: %w", err)
	}
	return nil
}

// kill ends a child that is no longer wanted.
func (c *child) kill() {
	_ = c.command.Process.Kill()
	_ = c.command.Wait()
}
