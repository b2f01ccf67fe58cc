package venue

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/sigengine/sigengine/feed"
)

// Every line of both captures: what it becomes, and every value of it.
func TestBinanceCaptures(t *testing.T) {
	cases := []struct {
		file                           string
		market                         Market
		quotes, trades, diffs, initial uint64
	}{
		{"binance_spot_btcusdt_20240808.head6000.jsonl", Spot, 4346, 1123, 530, 1},
		{"binance_usdm_btcusdt_20240808.head5000.jsonl", USDM, 3861, 732, 406, 1},
	}
	for _, c := range cases {
		capture := NewCaptureReader(sharedFile(t, "captures", "hftbacktest", c.file))
		d := newBinance(t, c.market, "")
		kinds := map[feed.Kind]uint64{}
		lines, last := uint64(0), int64(0)
		for {
			receiveNs, message, err := capture.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			lines++
			if receiveNs < last {
				t.Fatalf("line %d: receive time goes back", capture.Line())
			}
			last = receiveNs
			want, wantSeq, symbol, ignored := expect(t, message)
			tick, seq, verdict := decodeOne(t, d, message)
			if verdict != ignored {
				t.Fatalf("line %d: %q, want %q", capture.Line(), verdict, ignored)
			}
			if ignored != "" {
				continue
			}
			if !sameTick(tick, want) || seq != wantSeq || d.symbols.At(tick.Instrument).Name != symbol {
				t.Fatalf("line %d: got %+v %d, want %+v %d", capture.Line(), tick, seq, want, wantSeq)
			}
			kinds[tick.Kind]++
		}
		counts := d.Stats().Counts()
		if kinds[feed.KindQuote] != c.quotes || kinds[feed.KindTrade] != c.trades ||
			counts.Ignored[feed.IgnoredDepthDiff] != c.diffs || counts.Ignored[feed.IgnoredDepthSnapshot] != c.initial {
			t.Errorf("%s: %v, %v", c.file, kinds, counts.Ignored)
		}
		if lines != c.quotes+c.trades+c.diffs+c.initial || counts.Messages != lines || counts.Settled() != lines || counts.RejectedTotal() != 0 {
			t.Errorf("%s: %d lines, %+v", c.file, lines, counts)
		}
	}
}

// normalised is an event as tardis-node makes it of a raw message.
type normalised struct {
	Type, Symbol, ID, Side string
	Timestamp              time.Time
	Price, Amount          float64
	BidPrice, BidAmount    float64
	AskPrice, AskAmount    float64
}

func TestBinanceAgreesWithMappers(t *testing.T) {
	lines := bufio.NewScanner(sharedFile(t, "mappers", "mappers.jsonl"))
	lines.Buffer(nil, 1<<20)
	seen := map[string]int{}
	for lines.Scan() {
		var pair struct {
			Exchange string
			N        int
			Raw      json.RawMessage
			Expected []normalised
		}
		if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
			t.Fatal(err)
		}
		market, known := map[string]Market{"binance": Spot, "binance futures": USDM}[pair.Exchange]
		if !known {
			continue
		}
		d := newBinance(t, market, "")
		tick, seq, verdict := decodeOne(t, d, pair.Raw)
		var want *normalised
		for i := range pair.Expected {
			if kind := pair.Expected[i].Type; kind == "trade" || kind == "book_ticker" {
				want = &pair.Expected[i]
			}
		}
		if want == nil {
			if verdict == "" {
				t.Errorf("%s %d: decoded %+v", pair.Exchange, pair.N, tick)
			}
			continue
		}
		if verdict != "" {
			t.Fatalf("%s %d: %s", pair.Exchange, pair.N, verdict)
		}
		seen[pair.Exchange+" "+want.Type]++
		if got := d.symbols.At(tick.Instrument).Name; got != want.Symbol {
			t.Errorf("%s %d: symbol %s", pair.Exchange, pair.N, got)
		}
		if want.Type == "trade" {
			side := map[float64]string{1: "buy", -1: "sell"}[tick.F[2]]
			if tick.Kind != feed.KindTrade || tick.F[0] != want.Price || tick.F[1] != want.Amount || side != want.Side ||
				strconv.FormatUint(seq, 10) != want.ID || tick.ExchangeNs != want.Timestamp.UnixNano() {
				t.Errorf("%s %d: got %+v %d, want %+v", pair.Exchange, pair.N, tick, seq, *want)
			}
			continue
		}
		// A spot bookTicker has no time of the exchange; the mapper puts its own in place, we none.
		if tick.Kind != feed.KindQuote || tick.F != [4]float64{want.BidPrice, want.BidAmount, want.AskPrice, want.AskAmount} || tick.ExchangeNs != 0 {
			t.Errorf("%s %d: got %+v, want %+v", pair.Exchange, pair.N, tick, *want)
		}
	}
	if lines.Err() != nil || seen["binance trade"] != 2 || seen["binance book_ticker"] != 1 || seen["binance futures trade"] != 1 {
		t.Errorf("%v, %v", seen, lines.Err())
	}
}
