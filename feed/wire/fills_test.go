package wire

import (
	"math"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

func decodeFills(t failer, message string) decoded {
	t.Helper()
	symbols := feed.NewSymbols(64)
	return decodeAll(t, NewFillsDecoder(feed.DecoderOptions{Source: 3, Symbols: symbols}), symbols, []byte(message))
}

func TestFills(t *testing.T) {
	gap := feed.Tick{ReceiveNs: 77, Instrument: feed.AllInstruments, Kind: feed.KindGap, Source: 3, F: [4]float64{float64(feed.GapRejected), 1}}
	fill := func(instrument uint32, price, size float64, what feed.FillWhat) feed.Tick {
		return feed.Tick{ReceiveNs: 77, Instrument: instrument, Kind: feed.KindFill, Source: 3, F: [4]float64{price, size, float64(what)}}
	}
	timed := fill(0, 10.5, -3, feed.FillTrade)
	timed.ExchangeNs = 12
	for _, test := range []struct {
		message string
		want    []feed.Tick
		why     feed.Reject
	}{
		{`{"type":"fill","venue":"v","symbol":"s","ts":12,"side":"sell","price":10.5,"size":"3"}`, []feed.Tick{timed}, 0},
		{
			`[{"type":"fill","venue":"v","symbol":"s","side":"buy","price":-1,"size":0},{"type":"position","venue":"v","symbol":"x","size":-7,"price":2}]`,
			[]feed.Tick{fill(0, -1, 0, feed.FillTrade), fill(1, 2, -7, feed.FillPosition)},
			0,
		},
		{`{"type":"position","venue":"v","symbol":"s","size":0}`, []feed.Tick{fill(0, 0, 0, feed.FillPosition)}, 0},
		{`{"type":"heartbeat"}`, []feed.Tick{fill(feed.AllInstruments, 0, 0, feed.FillHeartbeat)}, 0},
		{`{"type":"heartbeat","complete":true}`, []feed.Tick{fill(feed.AllInstruments, 0, 1, feed.FillHeartbeat)}, 0},
		{`{"type":"heartbeat","complete":false,"other":[1]}`, []feed.Tick{fill(feed.AllInstruments, 0, 0, feed.FillHeartbeat)}, 0},
		{`[]`, nil, 0},
		// what cannot be read is missing
		{`{"type":"position","venue":"v","symbol":"s","size":1}`, []feed.Tick{gap}, feed.RejectMissingField},
		{`{"type":"fill","venue":"v","symbol":"s","side":"buy","price":1,"size":-1}`, []feed.Tick{gap}, feed.RejectBadSize},
		{`{"type":"fill","venue":"v","symbol":"s","price":1,"size":1}`, []feed.Tick{gap}, feed.RejectMissingField},
		{`{"type":"fill","venue":"v","symbol":"s","side":"long","price":1,"size":1}`, []feed.Tick{gap}, feed.RejectBadSide},
		{`{"type":"fill","venue":"v","symbol":"s","side":"buy","price":1e999,"size":1}`, []feed.Tick{gap}, feed.RejectNotFinite},
		{`{"type":"fill","venue":"v","symbol":"s","side":"buy","price":1,"size":1,"more":true}`, []feed.Tick{gap}, feed.RejectUnknownFlags},
		{`{"type":"fill","symbol":"s","side":"buy","price":1,"size":1}`, []feed.Tick{gap}, feed.RejectMissingField},
		{`{"type":"quote","venue":"v","symbol":"s","bid":1,"bid_size":1}`, []feed.Tick{gap}, feed.RejectUnsupportedKind},
		{`{"type":"order"}`, []feed.Tick{gap}, feed.RejectUnknownKind},
		{`{"type":"heartbeat","complete":1}`, []feed.Tick{gap}, feed.RejectWrongType},
		{`{"type":"heartbeat","complete":true,"complete":false}`, []feed.Tick{gap}, feed.RejectDuplicateField},
	} {
		got := decodeFills(t, test.message)
		if len(got.ticks) != len(test.want) || test.why != 0 && got.counts.RejectedTicks[test.why] != 1 {
			t.Errorf("%s: %+v, rejected %v", test.message, got.ticks, got.counts.RejectedTicks)
			continue
		}
		for i := range test.want {
			if !sameTick(got.ticks[i], test.want[i]) {
				t.Errorf("%s: %+v, want %+v", test.message, got.ticks[i], test.want[i])
			}
		}
	}
	for _, message := range []string{``, `nul`, `7`, `{"type":`, "\xff"} {
		got := decodeFills(t, message)
		if len(got.ticks) != 1 || !sameTick(got.ticks[0], gap) || got.counts.RejectedTotal() != 1 {
			t.Errorf("%q: %+v", message, got.ticks)
		}
	}
	if got := decodeJSON(t, `{"type":"fill","venue":"v","symbol":"s","side":"buy","price":1,"size":1}`); len(got.ticks) != 0 {
		t.Errorf("a feed may send fills: %+v", got.ticks)
	}
}

// FuzzFills: what comes out is a fill that makes sense, or a gap; and whatever was not decoded left a gap.
func FuzzFills(f *testing.F) {
	f.Add(`{"type":"fill","venue":"v","symbol":"s","ts":12,"side":"sell","price":10.5,"size":"3"}`)
	f.Add(`[{"type":"position","venue":"v","symbol":"x","size":-7,"price":2},{"type":"heartbeat","complete":true}]`)
	f.Add(`{"type":"fill"}`)
	f.Add(`{"type":"fill","more":true}`)
	f.Add("nul")
	f.Fuzz(func(t *testing.T, message string) {
		got := decodeFills(t, message)
		gaps := 0
		for _, tick := range got.ticks {
			switch tick.Kind {
			case feed.KindGap:
				gaps++
			case feed.KindFill:
				what := feed.FillWhat(tick.F[2])
				if what > feed.FillHeartbeat || math.IsNaN(tick.F[0]) || math.IsInf(tick.F[0], 0) || math.IsNaN(tick.F[1]) || math.IsInf(tick.F[1], 0) ||
					(what == feed.FillHeartbeat) != (tick.Instrument == feed.AllInstruments) && what != feed.FillHeartbeat {
					t.Fatalf("%q: %+v", message, tick)
				}
			default:
				t.Fatalf("%q: %+v", message, tick)
			}
		}
		var rejected uint64
		for _, n := range got.counts.RejectedTicks {
			rejected += n
		}
		if uint64(gaps) < rejected || got.counts.RejectedTotal() > 0 && gaps == 0 {
			t.Fatalf("%q: %d gaps for %d rejected ticks, %v", message, gaps, rejected, got.counts.Rejected)
		}
	})
}
