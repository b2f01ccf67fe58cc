package natsfeed

import (
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/wire"
	"github.com/sigengine/sigengine/internal/natsconn"
)

// BenchmarkThroughServer measures ticks from a publisher over TCP through the embedded server into an inlet that is
// polled. An operation is a tick. The publisher keeps at most a window of messages ahead of the source.
func BenchmarkThroughServer(b *testing.B) {
	const window = 4096
	for _, c := range []struct {
		name string
		each int
	}{{"json", 1}, {"binary frames of 32", 32}} {
		b.Run(c.name, func(b *testing.B) {
			server := startServer(b)
			in := newInlet(b, 1<<16, feed.FullBlock)
			config := jsonSource(in)
			config.Clock = feed.NewSystemClock()
			payload := quoteJSON(b, 1)
			if c.each > 1 {
				config.Decoder = wire.NewBinaryDecoder(feed.DecoderOptions{Symbols: in.Symbols})
				payload = frameOf(b, c.each)
			}
			source := subscribe(b, connectClient(b, natsconn.Config{InProcess: server}), config)
			stop, polled := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(polled)
				for {
					ticks, _ := in.Poll(1024)
					in.Release(len(ticks))
					if len(ticks) == 0 {
						time.Sleep(50 * time.Microsecond) // leave the processor to the others
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			}()
			out := publisher(b, server.URL())
			messages := uint64((b.N + c.each - 1) / c.each)
			b.ResetTimer()
			for i := range messages {
				for i > window && source.completed.Load() < i-window {
					flush(b, out)
				}
				send(b, out, "md.a", payload)
			}
			for source.completed.Load() < messages {
				flush(b, out)
			}
			b.StopTimer()
			close(stop)
			<-polled
			if dropped := source.Stats().Dropped; dropped != 0 {
				b.Errorf("%d dropped", dropped)
			}
		})
	}
}

func frameOf(tb testing.TB, count int) []byte {
	tb.Helper()
	symbols := feed.NewSymbols(4)
	handle, err := symbols.Intern([]byte("v"), []byte("A"))
	if err != nil {
		tb.Fatal(err)
	}
	ticks := make([]feed.Tick, count)
	for i := range ticks {
		ticks[i] = feed.Tick{Instrument: handle, Kind: feed.KindQuote, F: [4]float64{1, 1, 2, 1}}
	}
	frame, err := wire.NewEncoder(symbols, 1).AppendFrame(nil, 0, ticks, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return frame
}
