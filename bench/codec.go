package bench

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
	"github.com/sigengine/sigengine/feed/wire"
)

// Quote is the message that the JSON figures are about: 150 bytes.
const Quote = `{"type":"quote","venue":"binance","symbol":"BTCUSDT","ts":1723161255343000000,"bid":61837.63,"bid_size":3.78826,"ask":61837.64,"ask_size":1.54698,"seq":1}`

// BookTicker is the message that the Binance figure is about.
const BookTicker = `{"stream":"btcusdt@bookTicker","data":{"u":50093239212,"s":"BTCUSDT","b":"61837.63000000","B":"3.78826000","a":"61837.64000000","A":"1.54698000"}}`

const frameTicks = 32

// Codec measures decoders.
func Codec(length time.Duration) (*Report, error) {
	r := newReport("codec")
	native, err := decodeLoop(codec.JSON, nil, []byte(Quote))
	if err != nil {
		return nil, err
	}
	venue, err := decodeLoop(codec.BinanceSpot, nil, []byte(BookTicker))
	if err != nil {
		return nil, err
	}
	first, usual, err := frames()
	if err != nil {
		return nil, err
	}
	binary, err := decodeLoop(codec.Binary, first, usual)
	if err != nil {
		return nil, err
	}
	t := interleave(length, native, bareParse, standard, venue, binary)
	r.add("native JSON quote", median(t[0]), "ns", fmt.Sprintf("%d bytes", len(Quote)))
	r.add("  fastjson, bare parse of it", median(t[1]), "ns", "")
	r.add("  encoding/json into a struct", median(t[2]), "ns", "")
	r.add("Binance bookTicker", median(t[3]), "ns", fmt.Sprintf("%d bytes", len(BookTicker)))
	r.add("native binary, a tick", median(t[4])/frameTicks, "ns", fmt.Sprintf("%d ticks a frame", frameTicks))
	r.ratio("encoding_json_over_native_json", t[2], t[0])
	r.ratio("native_json_over_fastjson_parse", t[0], t[1])
	return r, nil
}

// decodeLoop returns a loop over one message, after a first one if that is not nil. It fails if the message does not
// decode.
func decodeLoop(name string, first, message []byte) (func(int), error) {
	d, err := codec.New(name, feed.DecoderOptions{Symbols: feed.NewSymbols(64)})
	if err != nil {
		return nil, err
	}
	batch := feed.Batch{Ticks: make([]feed.Tick, 64), VenueSeq: make([]uint64, 64)}
	if first != nil {
		d.Decode(first, 1, &batch)
		batch.N = 0
	}
	d.Decode(message, 1, &batch)
	if batch.N == 0 {
		return nil, fmt.Errorf("bench: the %s message gave no tick", name)
	}
	return func(calls int) {
		for range calls {
			batch.N = 0
			d.Decode(message, 1, &batch)
		}
	}, nil
}

func bareParse(calls int) {
	var p fastjson.Parser
	for range calls {
		if _, err := p.Parse(Quote); err != nil {
			panic(err) // the constant is JSON
		}
	}
}

func standard(calls int) {
	var q struct {
		Type, Venue, Symbol string
		TS, Seq             uint64
		Bid, Ask            float64
		BidSize             float64 `json:"bid_size"`
		AskSize             float64 `json:"ask_size"`
	}
	for range calls {
		if err := json.Unmarshal([]byte(Quote), &q); err != nil {
			panic(err) // the constant is JSON
		}
	}
}

// frames returns binary frames of quotes of eight instruments: the first, with definitions, and one without, as nearly
// all are.
func frames() (first, usual []byte, err error) {
	symbols := feed.NewSymbols(8)
	ticks := make([]feed.Tick, frameTicks)
	for i := range ticks {
		handle, err := symbols.Intern([]byte("sim"), fmt.Appendf(nil, "SIM%03d", i%8))
		if err != nil {
			return nil, nil, fmt.Errorf("bench: %w", err)
		}
		ticks[i] = feed.Tick{Kind: feed.KindQuote, Instrument: handle, ExchangeNs: int64(i), F: [4]float64{100, 1, 101, 1}}
	}
	encoder := wire.NewEncoder(symbols, 1)
	if first, err = encoder.AppendFrame(nil, 1, ticks, nil); err != nil {
		return nil, nil, fmt.Errorf("bench: %w", err)
	}
	if usual, err = encoder.AppendFrame(nil, 2, ticks, nil); err != nil {
		return nil, nil, fmt.Errorf("bench: %w", err)
	}
	return first, usual, nil
}
