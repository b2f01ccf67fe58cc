package explain

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
	"github.com/sigengine/sigengine/internal/testdata"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

var update = flag.Bool("update", false, "rewrite testdata")

// golden compares with a file of testdata.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", path, got, want)
	}
}

// record is a journal under construction.
type record struct {
	t       testing.TB
	store   *memstore.Store
	writer  *journal.Writer
	seq     uint64
	symbols map[feed.Symbol]uint32
}

func newRecord(t testing.TB, config string) *record {
	t.Helper()
	return newRecordIn(t, new(memstore.Store), config)
}

func newRecordIn(t testing.TB, store *memstore.Store, config string) *record {
	t.Helper()
	r := &record{t: t, store: store, symbols: map[feed.Symbol]uint32{}}
	var err error
	r.writer, err = journal.OpenWriter(r.store, journal.Options{Partition: "p", NowNs: func() int64 { return 1 }, Inline: true})
	if err != nil {
		t.Fatal(err)
	}
	if config != "" {
		if err := r.writer.Ticks().Config(1, "test.yaml", []byte(config)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// reopen begins another run of the same journal.
func (r *record) reopen(config string) {
	r.t.Helper()
	r.close()
	again := newRecordIn(r.t, r.store, config)
	r.writer, r.symbols = again.writer, again.symbols
}

// add appends a tick of an instrument.
func (r *record) add(symbol feed.Symbol, tick feed.Tick) {
	r.t.Helper()
	r.seq++
	tick.Seq, tick.Source = r.seq, 1
	id, known := r.symbols[symbol]
	switch {
	case symbol == (feed.Symbol{}):
		id = feed.AllInstruments
	case !known:
		id = uint32(len(r.symbols))
		r.symbols[symbol] = id
		err := r.writer.Ticks().Define(journal.Definition{
			At: r.seq, ID: id, Source: 1, Class: journal.ClassInstrument, Venue: symbol.Venue, Symbol: symbol.Name,
		})
		if err != nil {
			r.t.Fatal(err)
		}
	}
	tick.Instrument = id
	r.writer.Ticks().Append(&tick, 0)
}

func (r *record) close() journal.Store {
	r.t.Helper()
	r.writer.Ticks().Flush()
	if err := r.writer.Close(); err != nil {
		r.t.Fatal(err)
	}
	return r.store
}

// line adds a tick in words: KIND VENUE.SYMBOL MILLISECONDS VALUE...
func (r *record) line(text string) {
	r.t.Helper()
	words := strings.Fields(text)
	value := func(i int) float64 {
		if i >= len(words) {
			return 0
		}
		if words[i] == "none" {
			return feed.NaN()
		}
		v, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			r.t.Fatal(err)
		}
		return v
	}
	var symbol feed.Symbol
	symbol.Venue, symbol.Name, _ = strings.Cut(words[1], ".")
	if words[1] == "-" {
		symbol = feed.Symbol{}
	}
	atNs := int64(value(2) * 1e6)
	tick := feed.Tick{ReceiveNs: atNs, ExchangeNs: atNs, F: [4]float64{value(3), value(4), value(5), value(6)}}
	switch words[0] {
	case "quote":
		tick.Kind = feed.KindQuote
	case "trade":
		tick.Kind = feed.KindTrade
	case "gap":
		tick.Kind = feed.KindGap
	case "status":
		tick.Kind = feed.KindStatus
	case "heartbeat":
		tick.Kind = feed.KindHeartbeat
	case "kill":
		tick.Kind, tick.F = feed.KindControl, [4]float64{float64(feed.ControlKill), float64(feed.ScopeAll), -1}
	default:
		r.t.Fatalf("unknown kind of tick %q", words[0])
	}
	r.add(symbol, tick)
}

// capture records a capture of the held data under a configuration.
func capture(t *testing.T, config string) journal.Store {
	t.Helper()
	text, err := os.ReadFile(testdata.Shared(t, "captures", "hftbacktest", "binance_usdm_btcusdt_20240808.head5000.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	symbols := feed.NewSymbols(100)
	decoder, err := codec.New(codec.BinanceUSDM, feed.DecoderOptions{Source: 1, Symbols: symbols})
	if err != nil {
		t.Fatal(err)
	}
	r := newRecord(t, config)
	batch := feed.Batch{Ticks: make([]feed.Tick, 256)}
	for line := range bytes.Lines(text) {
		stamp, message, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		ns, err := strconv.ParseInt(string(stamp), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for more := decoder.Decode(message, ns, &batch); ; more = decoder.More(&batch) {
			for _, tick := range batch.Ticks[:batch.N] {
				r.add(symbols.At(tick.Instrument), tick)
			}
			batch.N = 0
			if !more {
				break
			}
		}
	}
	if r.seq < 1000 {
		t.Fatalf("only %d ticks in the capture", r.seq)
	}
	return r.close()
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sixConfig is a configuration of the six frozen signals.
func sixConfig(t *testing.T) string {
	t.Helper()
	root, err := testdata.Root()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("version: 1\nfeeds: [{name: a, subject: md.a, codec: json}]\n%s", fileText(t, root+"/bench/programs/six.yaml"))
}
