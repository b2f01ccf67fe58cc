package examples

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
	"github.com/sigengine/sigengine/feed/venue"
	"github.com/sigengine/sigengine/internal/testdata"
)

// captures are genuine: spot and perpetual future of one minute, received by one machine. Ids are indices.
var captures = []struct{ file, codec string }{
	{"binance_spot_btcusdt_20240808.head6000.jsonl", codec.BinanceSpot},
	{"binance_usdm_btcusdt_20240808.head5000.jsonl", codec.BinanceUSDM},
}

// captured decodes the captures into one tape, in the order in which the messages were received.
func captured(t testing.TB) *tape {
	t.Helper()
	out := &tape{}
	var ticks []feed.Tick
	for id, capture := range captures {
		symbols := feed.NewSymbols(1)
		options := feed.DecoderOptions{Source: sourceOf(uint32(id)), Symbols: symbols}
		ticks = append(ticks, decode(t, testdata.Shared(t, "captures", "hftbacktest", capture.file), capture.codec, options)...)
		for i := range ticks {
			if ticks[i].Source == options.Source {
				ticks[i].Instrument = uint32(id)
			}
		}
		out.symbols = append(out.symbols, symbols.At(0))
	}
	slices.SortStableFunc(ticks, func(a, b feed.Tick) int { return int(a.ReceiveNs - b.ReceiveNs) })
	for _, tick := range ticks {
		out.add(tick)
	}
	return out
}

// decode returns the ticks of a capture of one instrument.
func decode(t testing.TB, path, name string, options feed.DecoderOptions) []feed.Tick {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoder, err := codec.New(name, options)
	if err != nil {
		t.Fatal(err)
	}
	var ticks []feed.Tick
	for reader := venue.NewCaptureReader(file); ; {
		receiveNs, message, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return ticks
		}
		if err != nil {
			t.Fatal(err)
		}
		batch := feed.Batch{Ticks: make([]feed.Tick, 1)}
		if decoder.Decode(message, receiveNs, &batch) {
			t.Fatalf("%s: more than one tick in a message", path)
		}
		ticks = append(ticks, batch.Ticks[:batch.N]...)
	}
}

// TestCaptures: the examples over genuine ticks decide the same everywhere. Those that need more than the minute that
// there is, or other instruments, decide nothing.
func TestCaptures(t *testing.T) {
	market := captured(t)
	var got strings.Builder
	fired := 0
	for i := range all {
		x := &all[i]
		_, base := load(t, x.name)
		var first result
		for k, shape := range shapes {
			run := base
			run.Mode, run.Lanes, run.Batch = shape.mode, shape.lanes, shape.batch
			r := market.replay(t, run)
			if k == 0 {
				first = r
			} else if r.hash != first.hash {
				t.Errorf("%s: %s decides %d signals of hash %s, %s %d of %s", x.name, shape.name, len(r.decided), r.hash, shapes[0].name, len(first.decided), first.hash)
			}
		}
		if len(first.decided) > 0 {
			fired++
		}
		checkCauses(t, x, market, first.decided)
		fmt.Fprintf(&got, "%s %d %s\n", x.name, len(first.decided), first.hash)
	}
	if fired < 6 {
		t.Errorf("only %d examples decide something", fired)
	}
	golden(t, filepath.Join("testdata", "captures.txt"), got.String())
}
