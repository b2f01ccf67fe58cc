package live

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
	"github.com/sigengine/sigengine/signal"
)

func ask(t *testing.T, c *current, request string) CurrentAnswer {
	t.Helper()
	var a CurrentAnswer
	if err := json.Unmarshal(c.answer([]byte(request)), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func names(t *testing.T, a CurrentAnswer) string {
	t.Helper()
	var out []string
	for _, raw := range a.Signals {
		b, _, err := signal.DecodeJSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s.%s#%d", b.Signal, b.Symbol, b.OutputSequence))
	}
	return strings.Join(out, " ")
}

// TestCurrent: what is open is told, what was left, withdrawn or has expired is not.
func TestCurrent(t *testing.T) {
	c := &current{partition: "p"}
	c.Prepare(9, "", "", "")
	emit := func(pair uint32, name, symbol string, action signal.Action, out uint64, engineNs, untilNs int64) {
		b := signal.Body{Partition: "p", Signal: name, Venue: "v", Symbol: symbol, Action: action, OutputSequence: out, EngineNs: engineNs, ValidUntilNs: untilNs, Sequence: 1}
		c.Emit(pair, &b, 0)
	}
	emit(0, "a", "X", signal.ActionEnter, 1, 10, 0)
	emit(1, "b", "X", signal.ActionEnter, 1, 11, 50)
	emit(2, "a", "Y", signal.ActionEnter, 1, 12, 0)
	emit(0, "a", "X", signal.ActionUpdate, 2, 13, 0)
	for request, want := range map[string]string{
		"": "a.X#2 b.X#1 a.Y#1", "{}": "a.X#2 b.X#1 a.Y#1", `{"signal":"a"}`: "a.X#2 a.Y#1", `{"symbol":"X","venue":"v"}`: "a.X#2 b.X#1", `{"venue":"w"}`: "",
		`{"after":"1"}`: "b.X#1 a.Y#1",
	} {
		if got := names(t, ask(t, c, request)); got != want {
			t.Errorf("%s: %s, want %s", request, got, want)
		}
	}
	emit(2, "a", "Y", signal.ActionExit, 2, 51, 0) // and b has expired
	if a := ask(t, c, ""); names(t, a) != "a.X#2" || a.EngineNs != 51 || a.Partition != "p" || a.Next != 0 {
		t.Errorf("%+v", a)
	}
	emit(0, "a", "X", signal.ActionWithdraw, 3, 52, 0)
	if a := ask(t, c, ""); len(a.Signals) != 0 {
		t.Errorf("%+v", a)
	}
	if a := ask(t, c, "?"); a.Error == "" {
		t.Errorf("%+v", a)
	}
	for pair := range uint32(5000) {
		emit(pair, "a", strings.Repeat("s", 90)+fmt.Sprint(pair), signal.ActionEnter, 1, 60, 0)
	}
	seen, asked, after := 0, 0, uint64(0)
	for more := true; more; more = after != 0 {
		a := ask(t, c, fmt.Sprintf(`{"after":"%d"}`, after))
		seen, asked, after = seen+len(a.Signals), asked+1, a.Next
	}
	if seen != 5000 || asked < 3 {
		t.Errorf("%d signals in %d answers", seen, asked)
	}
}

// TestLateJoiners: who comes late asks for what is open, or reads the last value of every subject from the stream.
func TestLateJoiners(t *testing.T) {
	store := t.TempDir()
	s := testnats.Start(t, natsserver.Config{Adjust: func(o *server.Options) { o.JetStream, o.StoreDir = true, store }})
	d := newDeskOn(t, s)
	for range 2 { // the second finds the stream there
		l := d.startWith("{}", "publish: {last_stream: SIGNALS_LAST}\n")
		d.until("passed")
		d.until("passed")
		reply, err := d.nc.Request("cur.v1.main", nil, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		var a CurrentAnswer
		if err := json.Unmarshal(reply.Data, &a); err != nil || len(a.Signals) != 1 || a.Partition != "main" {
			t.Errorf("%s: %v", reply.Data, err)
		}
		d.stop(l)
	}
	js, err := d.nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	sub, err := js.SubscribeSync("sig.v1.>", nats.DeliverLastPerSubject(), nats.OrderedConsumer())
	if err != nil {
		t.Fatal(err)
	}
	m, err := sub.NextMsg(5 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if b, _, err := signal.Decode(m.Data); err != nil || b.Symbol != "A" {
		t.Errorf("%s: %v", m.Data, err)
	}
	if m, err := sub.NextMsg(200 * time.Millisecond); err == nil {
		t.Errorf("more than the last: %s", m.Data)
	}
}
