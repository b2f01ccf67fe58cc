package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/bench/programs"
	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/sim"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/live"
	"github.com/sigengine/sigengine/internal/metrics"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/report"
)

// PipelineConfig says what Pipeline measures.
type PipelineConfig struct {
	Rate     float64       // ticks a second of the latency runs
	Length   time.Duration // of each run
	Pairs    int           // latency runs of engine and relay, in turn
	Rates    []float64     // of the throughput runs
	Symbols  int
	Shape    func(*engine.Config)
	Place    func(*engine.Config) error // where the program runs; nil: the CPU
	Progress func(string)
}

// DefaultPipeline is what the project's figures are taken with.
func DefaultPipeline() PipelineConfig {
	return PipelineConfig{
		Rate: 20_000, Length: 4 * time.Second, Pairs: 7, Symbols: 64,
		Rates: []float64{500_000, 1_000_000, 1_250_000, 1_500_000, 2_000_000},
	}
}

// PipelineResult is a Report and the engine's own account of its last latency run.
type PipelineResult struct {
	*Report
	Engine report.Result `json:"engine"`
}

// pairResult is one interleaved pair of latency runs.
type pairResult struct {
	Engine  Latencies     `json:"engine_process_to_process"`
	Relay   Latencies     `json:"relay_process_to_process"`
	Account report.Result `json:"engine_account"`
}

// Pipeline measures the whole path.
func Pipeline(ctx context.Context, c PipelineConfig) (*PipelineResult, error) {
	r := newReport("pipeline")
	var raw struct {
		Pairs      []pairResult    `json:"pairs"`
		Throughput []throughputRun `json:"throughput"`
	}
	for i := range c.Pairs {
		c.say("latency at %.0f ticks/s, pair %d of %d", c.Rate, i+1, c.Pairs)
		p, err := c.pair(ctx)
		if err != nil {
			return nil, err
		}
		raw.Pairs = append(raw.Pairs, p)
	}
	for _, rate := range c.Rates {
		c.say("throughput, %.2f million ticks/s offered", rate/1e6)
		t, err := c.throughput(ctx, rate)
		if err != nil {
			return nil, err
		}
		raw.Throughput = append(raw.Throughput, t)
	}
	r.latencies(c, raw.Pairs)
	best := 0.0
	for _, t := range raw.Throughput {
		r.add(fmt.Sprintf("offered %.2f M ticks/s: taken", t.Offered/1e6), t.Taken/1e6, "M/s", fmt.Sprintf("%d dropped", t.Dropped))
		if t.Dropped == 0 && t.Taken > 0.98*t.Offered {
			best = max(best, t.Taken)
		}
	}
	r.add("highest of these with nothing dropped", best/1e6, "M/s", "binary, 32 ticks a message")
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	r.Raw = text
	out := &PipelineResult{Report: r}
	if n := len(raw.Pairs); n > 0 {
		out.Engine = raw.Pairs[n-1].Account
	}
	return out, nil
}

func (c *PipelineConfig) say(format string, args ...any) {
	if c.Progress != nil {
		c.Progress(fmt.Sprintf(format, args...))
	}
}

// latencies adds the figures of the latency runs: medians over the runs.
func (r *Report) latencies(c PipelineConfig, runs []pairResult) {
	if len(runs) == 0 {
		return
	}
	collect := func(value func(*pairResult) float64) []float64 {
		var out []float64
		for i := range runs {
			out = append(out, value(&runs[i]))
		}
		return out
	}
	total := func(at func(*metrics.Latency) int64) []float64 {
		return collect(func(p *pairResult) float64 { return float64(at(&p.Account.LatencyNs[metrics.StageTotal])) / 1e3 })
	}
	note := fmt.Sprintf("%.0f ticks/s, JSON, one a message", c.Rate)
	r.add("callback to decided and published, p50", median(total(func(l *metrics.Latency) int64 { return l.P50Ns })), "us", note)
	r.add("callback to decided and published, p99", median(total(func(l *metrics.Latency) int64 { return l.P99Ns })), "us", "")
	r.add("callback to decided and published, p99.9", median(total(func(l *metrics.Latency) int64 { return l.P999Ns })), "us", "")
	engineP50 := collect(func(p *pairResult) float64 { return p.Engine.P50Us })
	relayP50 := collect(func(p *pairResult) float64 { return p.Relay.P50Us })
	engineP99 := collect(func(p *pairResult) float64 { return p.Engine.P99Us })
	relayP99 := collect(func(p *pairResult) float64 { return p.Relay.P99Us })
	r.add("feed process to consumer process, p50", median(engineP50), "us", "signals; from when the tick was due")
	r.add("feed process to consumer process, p99", median(engineP99), "us", "")
	r.add("  relay that computes nothing, p50", median(relayP50), "us", "nats.go callback and Publish, every 100th message")
	r.add("  relay that computes nothing, p99", median(relayP99), "us", "")
	r.ratio("engine_over_relay_p50", engineP50, relayP50)
	r.ratio("engine_over_relay_p99", engineP99, relayP99)
}

// pair runs the engine, then the relay.
func (c *PipelineConfig) pair(ctx context.Context) (pairResult, error) {
	var p pairResult
	err := withServer(func(s *natsserver.Server) error {
		l, err := c.engine(s, "json")
		if err != nil {
			return err
		}
		p.Engine, err = c.through(s, "sig.>")
		if stopErr := l.Stop(ctx); err == nil {
			err = stopErr
		}
		p.Account = l.Status()
		return err
	})
	if err != nil {
		return p, err
	}
	return p, withServer(func(s *natsserver.Server) error {
		stop, err := relay(s)
		if err != nil {
			return err
		}
		defer stop()
		p.Relay, err = c.through(s, "relay")
		return err
	})
}

func withServer(do func(*natsserver.Server) error) error {
	s, err := natsserver.Start(natsserver.Config{})
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// engine starts an engine on a server, connected in process.
func (c *PipelineConfig) engine(s *natsserver.Server, codec string) (*live.Live, error) {
	text := "version: 1\npartition: bench\nsignals_file: six.yaml\nfeeds: [{name: market, subject: " + sim.DefaultPrefix + ".>, codec: " + codec + "}]\n"
	conf, err := config.Parse("bench", []byte(text), func(string) ([]byte, error) { return []byte(programs.Six), nil })
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return live.Start(live.Options{
		Config: conf, Connection: natsconn.Config{InProcess: s}, Clock: feed.NewSystemClock(),
		Log: slog.New(slog.DiscardHandler), Build: "bench", Shape: c.Shape, Place: c.Place,
	})
}

// through runs a feed process and a consumer process on a server.
func (c *PipelineConfig) through(s *natsserver.Server, subject string) (Latencies, error) {
	consumer, err := spawn("consume", s.URL(), subject)
	if err != nil {
		return Latencies{}, err
	}
	if _, err := consumer.out.ReadString('\n'); err != nil {
		consumer.kill()
		return Latencies{}, fmt.Errorf("bench: the consumer process did not start: %w", err)
	}
	if _, err := c.feed(s, c.Rate, false, 1); err != nil {
		consumer.kill()
		return Latencies{}, err
	}
	time.Sleep(100 * time.Millisecond) // what is on the way arrives
	var seen Latencies
	return seen, consumer.result(&seen)
}

// feed runs a feed process to its end.
func (c *PipelineConfig) feed(s *natsserver.Server, rate float64, binary bool, perMessage int) (sim.PublisherStats, error) {
	feeder, err := spawn("feed", s.URL(), strconv.FormatFloat(rate, 'f', 0, 64), c.Length.String(),
		strconv.FormatBool(binary), strconv.Itoa(perMessage), strconv.Itoa(c.Symbols))
	if err != nil {
		return sim.PublisherStats{}, err
	}
	var sent sim.PublisherStats
	return sent, feeder.result(&sent)
}

// relay republishes every hundredth message as it is.
func relay(s *natsserver.Server) (stop func(), err error) {
	nc, err := nats.Connect(s.URL(), nats.InProcessServer(s))
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	count := 0
	_, err = nc.Subscribe(sim.DefaultPrefix+".>", func(m *nats.Msg) {
		if count++; count%100 == 0 {
			_ = nc.Publish("relay", m.Data) // a relay does not mend
		}
	})
	if err == nil {
		err = nc.Flush()
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("bench: %w", err)
	}
	return nc.Close, nil
}

// throughputRun is one rate.
type throughputRun struct {
	Offered float64 `json:"offered_ticks_s"`
	Sent    uint64  `json:"sent"`
	Late    uint64  `json:"sent_late"` // over a millisecond
	Taken   float64 `json:"taken_ticks_s"`
	Ticks   uint64  `json:"ticks"`
	Dropped uint64  `json:"dropped"`
	Signals uint64  `json:"signals"`
}

func (c *PipelineConfig) throughput(ctx context.Context, rate float64) (throughputRun, error) {
	t := throughputRun{Offered: rate}
	err := withServer(func(s *natsserver.Server) error {
		l, err := c.engine(s, "binary")
		if err != nil {
			return err
		}
		sent, err := c.feed(s, rate, true, 32)
		if stopErr := l.Stop(ctx); err == nil {
			err = stopErr
		}
		a := l.Status()
		t.Sent, t.Late, t.Ticks, t.Signals = sent.Ticks, sent.LateTicks, a.Ticks, a.Signals
		t.Dropped = a.Dropped
		if sent.Ticks > a.Ticks {
			t.Dropped = max(t.Dropped, sent.Ticks-a.Ticks)
		}
		t.Taken = float64(a.Ticks) / c.Length.Seconds()
		return err
	})
	return t, err
}
