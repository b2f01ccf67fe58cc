package wire

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

// pair is a producer and a consumer of frames.
type pair struct {
	symbols *feed.Symbols // the producer's
	encoder *Encoder
	decoder *BinaryDecoder
	batch   feed.Batch
}

func newPair(t failer, names ...string) *pair {
	t.Helper()
	p := &pair{symbols: feed.NewSymbols(64)}
	for _, name := range names {
		if _, err := p.symbols.Intern([]byte("v"), []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	p.encoder = NewEncoder(p.symbols, 0xfeed)
	p.decoder = NewBinaryDecoder(feed.DecoderOptions{Source: 9, Symbols: feed.NewSymbols(64)})
	p.batch = feed.Batch{Ticks: make([]feed.Tick, 64), VenueSeq: make([]uint64, 64)}
	return p
}

func (p *pair) encode(t failer, nowNs int64, ticks ...feed.Tick) []byte {
	t.Helper()
	frame, err := p.encoder.AppendFrame(nil, nowNs, ticks, nil)
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// decode returns what one frame gives.
func (p *pair) decode(t failer, frame []byte) []feed.Tick {
	t.Helper()
	p.batch.N = 0
	if p.decoder.Decode(frame, 77, &p.batch) {
		t.Fatal("frame does not fit")
	}
	counts := p.decoder.Stats().Counts()
	if counts.Settled() != counts.Messages {
		t.Fatalf("%d messages, %d verdicts", counts.Messages, counts.Settled())
	}
	return slices.Clone(p.batch.Ticks[:p.batch.N])
}

// rejected returns the only reason counted so far, for messages and for ticks.
func (p *pair) rejected() (message, tick feed.Reject) {
	counts := p.decoder.Stats().Counts()
	for i := range counts.Rejected {
		if counts.Rejected[i] > 0 {
			message = feed.Reject(i)
		}
		if counts.RejectedTicks[i] > 0 {
			tick = feed.Reject(i)
		}
	}
	return message, tick
}

func tradeTick(handle uint32, price float64) feed.Tick {
	return feed.Tick{Kind: feed.KindTrade, Instrument: handle, F: [4]float64{price, 1, 1}}
}

func TestBinaryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t, "a", "b", "c", "d")
		// Another source came first, so the consumer's handles are not the producer's.
		if _, err := p.decoder.symbols.Intern([]byte("w"), []byte("z")); err != nil {
			t.Fatal(err)
		}
		var now int64
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			now += rapid.Int64Range(-1, 2*RedefineNs).Draw(t, "pause")
			ticks := make([]feed.Tick, rapid.IntRange(0, 20).Draw(t, "ticks"))
			seqs := make([]uint64, len(ticks))
			for i := range ticks {
				ticks[i], seqs[i] = drawTick(t, 4), rapid.Uint64().Draw(t, "seq")
			}
			frame, err := p.encoder.AppendFrame([]byte("before"), now, ticks, seqs)
			if err != nil || string(frame[:6]) != "before" {
				t.Fatal(err)
			}
			got := p.decode(t, frame[6:])
			if len(got) != len(ticks) {
				t.Fatalf("%d ticks of %d", len(got), len(ticks))
			}
			for i, want := range ticks {
				if want.Instrument != feed.AllInstruments {
					if p.decoder.symbols.At(got[i].Instrument) != p.symbols.At(want.Instrument) {
						t.Fatalf("tick %d is of %v", i, p.decoder.symbols.At(got[i].Instrument))
					}
				}
				want.Instrument, want.ReceiveNs, want.Source = got[i].Instrument, 77, 9
				if !sameTick(got[i], want) || p.batch.VenueSeq[i] != seqs[i] {
					t.Fatalf("tick %d: got %+v %d, want %+v %d", i, got[i], p.batch.VenueSeq[i], want, seqs[i])
				}
			}
		}
	})
}

func TestBinaryRejectsFrames(t *testing.T) {
	good := newPair(t, "abc").encode(t, 0, tradeTick(0, 1), tradeTick(0, 2))
	change := func(at int, b byte) []byte {
		frame := slices.Clone(good)
		frame[at] = b
		return frame
	}
	cases := []struct {
		name  string
		frame []byte
		want  feed.Reject
	}{
		{"magic", change(0, 'X'), feed.RejectMalformed},
		{"version", change(4, 2), feed.RejectBadVersion},
		{"flags", change(5, 1), feed.RejectBadVersion},
		{"reserved", change(23, 1), feed.RejectBadVersion},
		{"more definitions", change(6, 9), feed.RejectTruncated},
		{"fewer definitions", change(6, 0), feed.RejectMalformed},
		{"more ticks", change(8, 3), feed.RejectTruncated},
		{"very many ticks", change(11, 0xff), feed.RejectTruncated},
		{"fewer ticks", change(8, 1), feed.RejectMalformed},
		{"a byte too much", append(slices.Clone(good), 0), feed.RejectMalformed},
		{"too large", make([]byte, feed.MessageBytesMax+1), feed.RejectTooLarge},
		{"handle out of range", change(24+3, 1), feed.RejectTooManySymbols},
	}
	for _, c := range cases {
		p := newPair(t)
		if got := p.decode(t, c.frame); len(got) != 0 {
			t.Errorf("%s: %d ticks", c.name, len(got))
		}
		if message, _ := p.rejected(); message != c.want {
			t.Errorf("%s: %v, want %v", c.name, message, c.want)
		}
	}
	for cut := range good {
		p := newPair(t)
		p.decode(t, good[:cut])
		if message, _ := p.rejected(); message != feed.RejectTruncated {
			t.Errorf("cut at %d: %v", cut, message)
		}
		if p.decoder.symbols.Len() != 0 {
			t.Errorf("cut at %d: a broken frame defined a symbol", cut)
		}
	}
}

func TestBinaryRejectsTicks(t *testing.T) {
	quietNaN, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		name string
		tick feed.Tick
		want feed.Reject
	}{
		{"no kind", feed.Tick{}, feed.RejectUnknownKind},
		{"unknown kind", feed.Tick{Kind: 11}, feed.RejectUnknownKind},
		{"heartbeat", feed.Tick{Kind: feed.KindHeartbeat}, feed.RejectUnsupportedKind},
		{"fill", feed.Tick{Kind: feed.KindFill}, feed.RejectUnsupportedKind},
		{"control", feed.Tick{Kind: feed.KindControl}, feed.RejectUnsupportedKind},
		{"flags", feed.Tick{Kind: feed.KindTrade, Flags: 8}, feed.RejectUnknownFlags},
		{"time", feed.Tick{Kind: feed.KindTrade, ExchangeNs: -1}, feed.RejectBadTime},
		{"quote time", feed.Tick{Kind: feed.KindQuote, ExchangeNs: -1, F: [4]float64{1, 1, 1, 1}}, feed.RejectBadTime},
		{"quote flags", feed.Tick{Kind: feed.KindQuote, Flags: 8, F: [4]float64{1, 1, 1, 1}}, feed.RejectUnknownFlags},
		{"infinite bid", feed.Tick{Kind: feed.KindQuote, F: [4]float64{inf, 1, 1, 1}}, feed.RejectNotFinite},
		{"infinite ask", feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, 1, -inf, 1}}, feed.RejectNotFinite},
		{"NaN bid size", feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, quietNaN, 1, 1}}, feed.RejectNotFinite},
		{"NaN ask size", feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, 1, 1, quietNaN}}, feed.RejectNotFinite},
		{"negative bid size", feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, -1, 1, 1}}, feed.RejectBadSize},
		{"negative ask size", feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, 1, 1, -1}}, feed.RejectBadSize},
		{"negative ask size, no bid", feed.Tick{Kind: feed.KindQuote, F: [4]float64{quietNaN, 0, 1, -1}}, feed.RejectBadSize},
		{"no side", feed.Tick{Kind: feed.KindQuote, F: [4]float64{quietNaN, 0, quietNaN, 0}}, feed.RejectMissingField},
		{"size without bid", feed.Tick{Kind: feed.KindQuote, F: [4]float64{quietNaN, 1, 1, 1}}, feed.RejectMissingField},
		{"size without ask", feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, 1, quietNaN, 1}}, feed.RejectMissingField},
		{"NaN price", feed.Tick{Kind: feed.KindTrade, F: [4]float64{quietNaN, 1}}, feed.RejectNotFinite},
		{"infinite size", feed.Tick{Kind: feed.KindTrade, F: [4]float64{1, inf}}, feed.RejectNotFinite},
		{"negative size", feed.Tick{Kind: feed.KindTrade, F: [4]float64{1, -1}}, feed.RejectBadSize},
		{"aggressor", feed.Tick{Kind: feed.KindTrade, F: [4]float64{1, 1, 2}}, feed.RejectBadSide},
		{"aggressor NaN", feed.Tick{Kind: feed.KindTrade, F: [4]float64{1, 1, quietNaN}}, feed.RejectBadSide},
		{"trade's rest", feed.Tick{Kind: feed.KindTrade, F: [4]float64{1, 1, 1, 1}}, feed.RejectReservedNotZero},
		{"trade's rest NaN", feed.Tick{Kind: feed.KindTrade, F: [4]float64{1, 1, 1, quietNaN}}, feed.RejectReservedNotZero},
		{"depth side", feed.Tick{Kind: feed.KindDepth, F: [4]float64{0, 1, 1}}, feed.RejectBadSide},
		{"depth side NaN", feed.Tick{Kind: feed.KindDepth, F: [4]float64{quietNaN, 1, 1}}, feed.RejectBadSide},
		{"depth level", feed.Tick{Kind: feed.KindDepth, F: [4]float64{1.5, 1, 1}}, feed.RejectBadSide},
		{"depth price", feed.Tick{Kind: feed.KindDepth, F: [4]float64{1, inf, 1}}, feed.RejectNotFinite},
		{"depth size", feed.Tick{Kind: feed.KindDepth, F: [4]float64{1, 1, -1}}, feed.RejectBadSize},
		{"depth rest", feed.Tick{Kind: feed.KindDepth, F: [4]float64{1, 1, 1, 1}}, feed.RejectReservedNotZero},
		{"status 0", feed.Tick{Kind: feed.KindStatus}, feed.RejectBadStatus},
		{"status 6", feed.Tick{Kind: feed.KindStatus, F: [4]float64{6}}, feed.RejectBadStatus},
		{"status 1.5", feed.Tick{Kind: feed.KindStatus, F: [4]float64{1.5}}, feed.RejectBadStatus},
		{"status NaN", feed.Tick{Kind: feed.KindStatus, F: [4]float64{quietNaN}}, feed.RejectBadStatus},
		{"status rest", feed.Tick{Kind: feed.KindStatus, F: [4]float64{1, 0, 0, 1}}, feed.RejectReservedNotZero},
		{"gap reason", feed.Tick{Kind: feed.KindGap, F: [4]float64{7}}, feed.RejectBadStatus},
		{"gap lost", feed.Tick{Kind: feed.KindGap, F: [4]float64{5, -1}}, feed.RejectBadSize},
		{"gap lost NaN", feed.Tick{Kind: feed.KindGap, F: [4]float64{5, quietNaN}}, feed.RejectNotFinite},
		{"gap lost half", feed.Tick{Kind: feed.KindGap, F: [4]float64{5, 0.5}}, feed.RejectBadNumber},
		{"gap rest", feed.Tick{Kind: feed.KindGap, F: [4]float64{5, 1, 1}}, feed.RejectReservedNotZero},
		{"handle", tradeTick(5, 1), feed.RejectUnknownHandle},
		{"all instruments", tradeTick(feed.AllInstruments, 1), feed.RejectUnknownHandle},
	}
	for _, c := range cases {
		p := newPair(t, "abc")
		frame := p.encode(t, 0, tradeTick(0, 1))
		binary.LittleEndian.PutUint32(frame[8:], 2)
		frame = appendTick(frame, &c.tick, 1)
		if got := p.decode(t, frame); len(got) != 1 || got[0].F[0] != 1 {
			t.Errorf("%s: %+v", c.name, got)
		}
		if _, tick := p.rejected(); tick != c.want {
			t.Errorf("%s: %v, want %v", c.name, tick, c.want)
		}
		if _, err := p.encoder.AppendFrame(nil, 0, []feed.Tick{c.tick}, nil); err == nil {
			t.Errorf("%s: the encoder takes it", c.name)
		}
	}
}

// NaNs of any bits, and minus zeros where only a sign could differ, come out canonical.
func TestBinaryCanonical(t *testing.T) {
	p := newPair(t, "abc")
	odd := math.Float64frombits(0xfff8_0000_dead_beef)
	minus := math.Copysign(0, -1)
	got := p.decode(t, p.encode(t, 0,
		feed.Tick{Kind: feed.KindQuote, F: [4]float64{odd, minus, minus, 1}},
		feed.Tick{Kind: feed.KindQuote, F: [4]float64{1, 1, odd, 0}},
		feed.Tick{Kind: feed.KindTrade, F: [4]float64{1, 1, minus, minus}},
		feed.Tick{Kind: feed.KindStatus, F: [4]float64{1, minus, minus, minus}},
		feed.Tick{Kind: feed.KindGap, F: [4]float64{1, minus, minus, minus}},
	))
	want := [][4]float64{{nan, 0, minus, 1}, {1, 1, nan, 0}, {1, 1, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}}
	for i := range want {
		for j := range want[i] {
			if math.Float64bits(got[i].F[j]) != math.Float64bits(want[i][j]) {
				t.Errorf("tick %d value %d: %x, want %x", i, j, math.Float64bits(got[i].F[j]), math.Float64bits(want[i][j]))
			}
		}
	}
}

func TestBinaryBrokenEvent(t *testing.T) {
	p := newPair(t, "a")
	frame := p.encode(t, 0, tradeTick(0, 1), tradeTick(0, 2), tradeTick(0, 3))
	ticks := len(frame) - 3*feed.TickSize
	frame[ticks+29] |= byte(feed.FlagMore)
	frame[ticks+feed.TickSize+28] = 0 // no kind
	got := p.decode(t, frame)
	if len(got) != 3 || got[1].Kind != feed.KindGap || got[1].Instrument != 0 || got[1].F != [4]float64{float64(feed.GapRejected), 1} {
		t.Errorf("%+v", got)
	}
}

func TestBinaryContinues(t *testing.T) {
	p := newPair(t, "a", "b")
	frame := p.encode(t, 0, tradeTick(0, 1), tradeTick(1, 2), tradeTick(0, 3), tradeTick(1, 4), tradeTick(0, 5))
	for room := 1; room <= 6; room++ {
		batch := feed.Batch{Ticks: make([]feed.Tick, room)}
		var prices []float64
		for more := p.decoder.Decode(frame, 1, &batch); ; more = p.decoder.More(&batch) {
			for _, tick := range batch.Ticks[:batch.N] {
				prices = append(prices, tick.F[0])
			}
			batch.N = 0
			if !more {
				break
			}
		}
		if !slices.Equal(prices, []float64{1, 2, 3, 4, 5}) {
			t.Errorf("room %d: %v", room, prices)
		}
	}
}

func TestBinaryAllocatesNothing(t *testing.T) {
	p := newPair(t, "a", "b")
	ticks := []feed.Tick{tradeTick(0, 1), tradeTick(1, 2), {Kind: feed.KindQuote, F: [4]float64{1, 1, nan, 0}}}
	first := p.encode(t, 0, ticks...)
	p.decode(t, first)
	var frame []byte
	var now int64
	run := func() {
		now += RedefineNs / 3
		frame, _ = p.encoder.AppendFrame(frame[:0], now, ticks, nil)
		p.batch.N = 0
		p.decoder.Decode(frame, 1, &p.batch)
		p.batch.N = 0
		p.decoder.Decode(frame[:len(frame)-1], 1, &p.batch)
	}
	run()
	run()
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
