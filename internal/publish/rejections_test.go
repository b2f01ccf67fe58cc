package publish

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/signal"
)

var _ engine.RefusalSink = (*RejectionSink)(nil)

func rejection(gate, symbol string) signal.Rejection {
	return signal.Rejection{
		Version: signal.Version, Partition: "p", Generation: 1, Sequence: 9, Number: 3, Gate: gate, Signal: "s", Venue: "v", Symbol: symbol,
		EngineNs: 7, Action: signal.ActionEnter, Value: 1.5, Side: signal.Undefined(), Bid: 1, Ask: 2, Last: signal.Undefined(), Flags: signal.FlagGap,
	}
}

func TestRejectionSink(t *testing.T) {
	conn := &fakeConn{}
	sink, err := NewRejectionSink(conn, "rej.v1")
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct{ gate, symbol, subject string }{
		{"stale", "BRK.B", "rej.v1.stale.v.BRK%2EB"},
		{"kill", "BRK.B", "rej.v1.kill.v.BRK%2EB"},
		{"stale", "BRK.B", "rej.v1.stale.v.BRK%2EB"},
	} {
		r := rejection(test.gate, test.symbol)
		sink.Refuse(4, &r, 0)
		back, err := signal.DecodeRejectionJSON(conn.data)
		if conn.subject != test.subject || conn.calls != i+1 || err != nil || back.Gate != test.gate || back.Number != 3 || back.Symbol != test.symbol {
			t.Errorf("%s: %q %s, %+v, %v", test.gate, conn.subject, conn.data, back, err)
		}
	}
	conn.err = nats.ErrConnectionClosed
	r := rejection("stale", "BRK.B")
	sink.Refuse(4, &r, 0)
	r = rejection("", "BRK.B")
	sink.Refuse(5, &r, 0)
	if published, failed := sink.Counts(); published != 3 || failed != 2 {
		t.Errorf("%d published, %d not", published, failed)
	}
	conn.err = nil
	r = rejection("stale", "BRK.B")
	if n := testing.AllocsPerRun(100, func() { sink.Refuse(4, &r, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for _, prefix := range []string{"", "a..b", "a.*"} {
		if _, err := NewRejectionSink(conn, prefix); !errors.Is(err, ErrConfig) {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}
