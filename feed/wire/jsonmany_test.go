package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

func trade(i int, extra string) string {
	return fmt.Sprintf(`{"type":"trade","venue":"v","symbol":"s%d","price":%d,"size":1%s}`, i%4, i, extra)
}

// A message with more ticks than a batch has room for goes on in the next batch, whatever the room.
func TestJSONContinues(t *testing.T) {
	const ticks = 10
	elements := make([]string, ticks)
	for i := range elements {
		elements[i] = trade(i+1, "")
	}
	message := []byte("[" + strings.Join(elements, ",") + "]")
	for room := 1; room <= ticks+1; room++ {
		d := NewJSONDecoder(feed.DecoderOptions{Symbols: feed.NewSymbols(8)})
		got, calls := 0, 0
		batch := feed.Batch{Ticks: make([]feed.Tick, room)} // no side column
		for more := d.Decode(message, 5, &batch); ; more = d.More(&batch) {
			calls++
			for _, tick := range batch.Ticks[:batch.N] {
				got++
				if tick.F[0] != float64(got) || tick.ReceiveNs != 5 {
					t.Fatalf("room %d: tick %d is %+v", room, got, tick)
				}
			}
			batch.N = 0
			if !more {
				break
			}
			if counts := d.Stats().Counts(); counts.Settled() != 0 {
				t.Fatalf("room %d: verdict before the end", room)
			}
		}
		counts := d.Stats().Counts()
		if got != ticks || calls != (ticks+room-1)/room || counts.Decoded != 1 || counts.Messages != 1 || counts.Ticks != ticks {
			t.Errorf("room %d: %d ticks in %d calls, %+v", room, got, calls, counts)
		}
	}
}

func TestJSONNoRoomAtAll(t *testing.T) {
	d := NewJSONDecoder(feed.DecoderOptions{Symbols: feed.NewSymbols(8)})
	var none feed.Batch
	if !d.Decode([]byte(trade(1, "")), 5, &none) || !d.More(&none) {
		t.Fatal("claims to be done without a slot")
	}
	batch := feed.Batch{Ticks: make([]feed.Tick, 1)}
	if d.More(&batch) || batch.N != 1 {
		t.Fatal("does not go on")
	}
	if d.More(&batch) || batch.N != 1 {
		t.Fatal("goes on after the end")
	}
}

func TestJSONAbandoned(t *testing.T) {
	d := NewJSONDecoder(feed.DecoderOptions{Symbols: feed.NewSymbols(8)})
	batch := feed.Batch{Ticks: make([]feed.Tick, 1)}
	d.Decode([]byte("["+trade(1, "")+","+trade(2, "")+"]"), 5, &batch)
	batch.N = 0
	if d.Decode([]byte(trade(3, "")), 6, &batch) || batch.Ticks[0].F[0] != 3 {
		t.Fatalf("%+v", batch)
	}
	if counts := d.Stats().Counts(); counts.Messages != 2 || counts.Decoded != 2 || counts.Ticks != 2 {
		t.Errorf("%+v", counts)
	}
}

func TestJSONEmptyArray(t *testing.T) {
	got := decodeJSON(t, `[]`)
	if len(got.ticks) != 0 || got.counts.Decoded != 1 {
		t.Errorf("%+v", got.counts)
	}
}

// A bad element is rejected alone; the message is rejected only if nothing came out of it.
func TestJSONBadElements(t *testing.T) {
	got := decodeJSON(t, `[`+trade(1, "")+`,{"type":"trade"},7,`+trade(2, `,"x":01`)+`,`+trade(3, "")+`]`)
	if len(got.ticks) != 2 || got.ticks[0].F[0] != 1 || got.ticks[1].F[0] != 3 {
		t.Fatalf("%+v", got.ticks)
	}
	c := got.counts
	if c.Decoded != 1 || c.RejectedTotal() != 0 || c.RejectedTicks[feed.RejectMissingField] != 1 ||
		c.RejectedTicks[feed.RejectWrongType] != 1 || c.RejectedTicks[feed.RejectMalformed] != 1 {
		t.Errorf("%+v", c)
	}
	got = decodeJSON(t, `[7,{"type":"trade"}]`)
	if got.counts.Decoded != 0 || got.counts.Rejected[feed.RejectWrongType] != 1 || got.counts.RejectedTotal() != 1 {
		t.Errorf("%+v", got.counts)
	}
}

// A rejected part of an event leaves a Gap, so that the rest is not taken for the whole.
func TestJSONBrokenEvents(t *testing.T) {
	const more = `,"more":true`
	bad := func(i int, extra string) string { return strings.Replace(trade(i, extra), `"size":1`, `"size":"x"`, 1) }
	cases := []struct {
		name     string
		elements []string
		kinds    string // t a trade, G a gap of that event's instrument, A a gap of all
	}{
		{"whole", []string{trade(1, more), trade(1, more), trade(1, "")}, "ttt"},
		{"bad middle", []string{trade(1, more), bad(1, more), trade(1, "")}, "tGt"},
		{"bad end", []string{trade(1, more), bad(1, ""), trade(2, "")}, "tGt"},
		{"two bad at the end", []string{trade(1, more), bad(1, ""), bad(1, "")}, "tG"},
		{"bad by its name", []string{trade(1, more), strings.Replace(trade(1, `,"seq":7`), "s1", "", 1)}, "tG"},
		{"bad start", []string{bad(1, more), trade(1, "")}, "At"},
		{"bad alone", []string{trade(1, ""), bad(1, ""), trade(1, "")}, "tt"},
		{"bad after the end", []string{trade(1, more), trade(1, ""), bad(1, ""), trade(1, "")}, "ttt"},
		{"bad beside an open event", []string{trade(1, more), bad(2, ""), trade(1, "")}, "tGt"},
		{"bad beside two open events", []string{trade(1, more), trade(2, more), bad(2, ""), trade(1, "")}, "ttAt"},
		{"another's end closes nothing", []string{trade(1, more), trade(2, ""), bad(1, "")}, "ttG"},
	}
	for _, c := range cases {
		got := decodeJSON(t, "["+strings.Join(c.elements, ",")+"]")
		kinds := ""
		for i, tick := range got.ticks {
			switch {
			case tick.Kind == feed.KindTrade:
				kinds += "t"
			case tick.Kind == feed.KindGap && tick.Instrument == feed.AllInstruments:
				kinds += "A"
			case tick.Kind == feed.KindGap && got.symbols.At(tick.Instrument).Name == "s1":
				kinds += "G"
			}
			if tick.Kind == feed.KindGap && (tick.F[0] != float64(feed.GapRejected) || tick.F[1] != 1 || tick.Flags != 0 ||
				tick.ReceiveNs != 77 || tick.Source != 3 || got.seqs[i] != 0) {
				t.Errorf("%s: gap %+v", c.name, tick)
			}
		}
		if kinds != c.kinds {
			t.Errorf("%s: got %s, want %s", c.name, kinds, c.kinds)
		}
	}
}

func TestJSONLargeMessages(t *testing.T) {
	element := trade(1, "")
	many := feed.MessageBytesMax/(len(element)+1) - 1
	message := "[" + strings.Repeat(element+",", many-1) + element + "]"
	if got := decodeJSON(t, message); len(got.ticks) != many || got.counts.Decoded != 1 {
		t.Errorf("%d of %d ticks, %+v", len(got.ticks), many, got.counts)
	}
	note := trade(1, `,"note":"`+strings.Repeat("x", feed.MessageBytesMax-200)+`"`)
	if got := decodeJSON(t, note); len(got.ticks) != 1 {
		t.Errorf("%+v", got.counts)
	}
}

func TestJSONTruncatedAnywhere(t *testing.T) {
	message := `[` + trade(1, `,"note":"caf\u00e9 é"`) + `,` + trade(2, "") + `]`
	for cut := range len(message) {
		got := decodeJSON(t, message[:cut])
		if len(got.ticks) != 0 || got.counts.Rejected[feed.RejectTruncated]+got.counts.Rejected[feed.RejectBadUTF8] != 1 {
			t.Fatalf("cut at %d: %d ticks, %v", cut, len(got.ticks), got.counts.Rejected)
		}
	}
}

func TestJSONAllocatesNothing(t *testing.T) {
	messages := [][]byte{
		[]byte(benchQuote),
		[]byte(`[` + trade(1, "") + `,` + trade(2, `,"more":true`) + `,{"type":"trade"},` + trade(3, "") + `]`),
		[]byte(trade(1, `,"note":"caf\u00e9","price2":1.5`)),
		[]byte(`{"type":"status","venue":"v","symbol":"s","status":"halt"}`),
		[]byte(`{"type":"nonsense"}`),
		[]byte(trade(1, `,"seq":123.5`)),
	}
	d := NewJSONDecoder(feed.DecoderOptions{Symbols: feed.NewSymbols(8)})
	batch := feed.Batch{Ticks: make([]feed.Tick, 8), VenueSeq: make([]uint64, 8)}
	decode := func() {
		for _, message := range messages {
			batch.N = 0
			d.Decode(message, 1, &batch)
		}
	}
	decode()
	if n := testing.AllocsPerRun(200, decode); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
