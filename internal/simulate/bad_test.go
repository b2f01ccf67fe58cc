package simulate

import (
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
)

// The verdicts that accounting expects are the decoders', one message at a time.
func TestBadMessages(t *testing.T) {
	for name, bad := range map[string][]payload{"json": badJSON, "binary": badBinary} {
		for i, p := range bad {
			decoder, err := codec.New(name, feed.DecoderOptions{Symbols: feed.NewSymbols(4)})
			if err != nil {
				t.Fatal(err)
			}
			batch := feed.Batch{Ticks: make([]feed.Tick, 8)}
			decoder.Decode(p.bytes, 1, &batch)
			counts := decoder.Stats().Counts()
			if batch.N != 0 || counts.Rejected[p.verdict] != 1 {
				t.Errorf("%s %d %q: %d ticks, %v; want rejected as %s", name, i, p.bytes, batch.N, counts.Rejected, p.verdict)
			}
		}
	}
}

// An event is a quote and a level, all fresh at the level; a broken one has a Gap in the place of what was rejected.
func TestEvents(t *testing.T) {
	for _, broken := range []bool{false, true} {
		decoder, err := codec.New("json", feed.DecoderOptions{Symbols: feed.NewSymbols(4)})
		if err != nil {
			t.Fatal(err)
		}
		batch := feed.Batch{Ticks: make([]feed.Tick, 8)}
		p := event(7, feed.Symbol{Venue: "v", Name: "s"}, broken)
		decoder.Decode(p.bytes, 1, &batch)
		var kinds []feed.Kind
		for i := range batch.Ticks[:batch.N] {
			kinds = append(kinds, batch.Ticks[i].Kind)
		}
		counts := decoder.Stats().Counts()
		wantTicks := 2
		if broken {
			wantTicks = 3
		}
		if len(kinds) != wantTicks || counts.Decoded != 1 || broken && (kinds[1] != feed.KindGap || counts.RejectedTicks[p.tick] != 1) {
			t.Errorf("broken %t: %v, %+v", broken, kinds, counts)
		}
		if batch.Ticks[0].Flags&feed.FlagMore == 0 || batch.Ticks[0].ExchangeNs != 7 {
			t.Errorf("broken %t: %+v", broken, batch.Ticks[0])
		}
	}
}
