package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

func TestBinaryLateJoin(t *testing.T) {
	p := newPair(t, "a", "b")
	p.encode(t, 0, tradeTick(0, 1)) // before the consumer joined
	if got := p.decode(t, p.encode(t, 1, tradeTick(0, 2), tradeTick(1, 3))); len(got) != 1 || got[0].F[0] != 3 {
		t.Fatalf("%+v", got)
	}
	if _, tick := p.rejected(); tick != feed.RejectUnknownHandle {
		t.Errorf("%v", tick)
	}
	if got := p.decode(t, p.encode(t, RedefineNs-1, tradeTick(0, 2))); len(got) != 0 {
		t.Errorf("defined too early: %+v", got)
	}
	if got := p.decode(t, p.encode(t, RedefineNs, tradeTick(0, 2))); len(got) != 1 {
		t.Errorf("not defined again in time")
	}
}

func TestEncoderRedefines(t *testing.T) {
	p := newPair(t, "a")
	defined := func(nowNs int64) bool { return binary.LittleEndian.Uint16(p.encode(t, nowNs, tradeTick(0, 1))[6:]) > 0 }
	if !defined(5) || defined(5) || defined(6) {
		t.Error("on first use, and only then")
	}
	if !defined(4) {
		t.Error("when the clock goes back")
	}
	for frame := 1; ; frame++ {
		if defined(4) {
			if frame != RedefineFrames {
				t.Errorf("after %d frames", frame)
			}
			break
		}
	}
	frame := p.encode(t, 4+RedefineNs, tradeTick(0, 1), tradeTick(0, 1))
	if n := binary.LittleEndian.Uint16(frame[6:]); n != 1 {
		t.Errorf("%d definitions of one symbol", n)
	}
}

// The same handle of two producers means what each says, and a seventeenth producer displaces the oldest.
func TestBinarySessions(t *testing.T) {
	consumer := newPair(t)
	var encoders []*Encoder
	for i := range sessionsMax + 1 {
		symbols := feed.NewSymbols(1)
		if _, err := symbols.Intern([]byte("v"), fmt.Append(nil, "s", i)); err != nil {
			t.Fatal(err)
		}
		encoders = append(encoders, NewEncoder(symbols, uint64(i))) // session 0 is a session like any other
	}
	send := func(i int) string {
		frame, err := encoders[i].AppendFrame(nil, 0, []feed.Tick{tradeTick(0, 1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := consumer.decode(t, frame)
		if len(got) == 0 {
			return ""
		}
		return consumer.decoder.symbols.At(got[0].Instrument).Name
	}
	for round := range 2 { // the second without definitions
		for i := range sessionsMax {
			if got, want := send(i), fmt.Sprint("s", i); got != want {
				t.Fatalf("round %d, session %d: %q", round, i, got)
			}
		}
	}
	send(0) // now session 1 is the oldest
	if got := send(sessionsMax); got != fmt.Sprint("s", sessionsMax) {
		t.Fatalf("%q", got)
	}
	if send(1) != "" || send(0) != "s0" || send(3) != "s3" {
		t.Error("not the oldest made room")
	}
	if _, tick := consumer.rejected(); tick != feed.RejectUnknownHandle {
		t.Error(tick)
	}
}

// A producer that gives one handle two names in a session is not believed again.
func TestBinaryHandleConflict(t *testing.T) {
	p, liar := newPair(t, "a"), newPair(t, "b")
	p.decode(t, p.encode(t, 0, tradeTick(0, 1)))
	if got := p.decode(t, liar.encode(t, 0, tradeTick(0, 1))); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := p.decode(t, p.encode(t, RedefineNs, tradeTick(0, 1))); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	counts := p.decoder.Stats().Counts()
	if counts.Rejected[feed.RejectHandleConflict] != 2 || counts.RejectedTicks[feed.RejectHandleConflict] != 1 {
		t.Errorf("%+v", counts)
	}
}

func TestBinaryRefusedNames(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int
		want  feed.Reject
	}{
		{"bad\xff", 8, feed.RejectBadUTF8},
		{"late", 0, feed.RejectTooManySymbols},
	} {
		p := newPair(t, c.name, "good")
		p.decoder = NewBinaryDecoder(feed.DecoderOptions{Symbols: feed.NewSymbols(c.limit)})
		for _, now := range []int64{0, RedefineNs} {
			got := p.decode(t, p.encode(t, now, tradeTick(0, 1), tradeTick(1, 2)))
			if len(got) != min(c.limit, 1) {
				t.Errorf("%q: %+v", c.name, got)
			}
		}
		if n := p.decoder.Stats().Counts().RejectedTicks[c.want]; n < 2 {
			t.Errorf("%q: %d ticks rejected as %v", c.name, n, c.want)
		}
	}
	long := newPair(t, "a")
	frame := appendHeader(nil, header{definitions: 1, ticks: 1, session: 1})
	frame = append(binary.LittleEndian.AppendUint32(frame, 0), 1, 97, 'v')
	frame = append(frame, strings.Repeat("s", 97)...)
	tick := tradeTick(0, 1)
	long.decode(t, appendTick(frame, &tick, 0))
	if _, why := long.rejected(); why != feed.RejectSymbolName {
		t.Error(why)
	}
}

func TestEncoderErrors(t *testing.T) {
	p := newPair(t, "a")
	ticks := make([]feed.Tick, feed.MessageBytesMax/feed.TickSize+1)
	for i := range ticks {
		ticks[i] = tradeTick(0, 1)
	}
	for _, n := range []int{len(ticks), len(ticks) - 1} {
		if frame, err := p.encoder.AppendFrame([]byte("x"), 0, ticks[:n], nil); !errors.Is(err, ErrFrameSize) || string(frame) != "x" {
			t.Errorf("%d ticks: %d bytes, %v", n, len(frame), err)
		}
	}
	if got := p.decode(t, p.encode(t, 0, ticks[0])); len(got) != 1 {
		t.Error("a definition was lost with a frame that was not made")
	}
	frame, err := p.encoder.AppendFrame([]byte("x"), 0, []feed.Tick{ticks[0], {}}, nil)
	if !errors.Is(err, ErrTick) || !strings.Contains(err.Error(), "number 1: unknown_kind") || string(frame) != "x" {
		t.Errorf("%q, %v", frame, err)
	}
}

func TestNewSession(t *testing.T) {
	a, err := NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := NewSession(); err != nil || a == b {
		t.Errorf("%x twice, %v", a, err)
	}
}
