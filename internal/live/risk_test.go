package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
	"github.com/sigengine/sigengine/signal"
)

// desk is a market, a source of fills and a consumer around live engines.
type desk struct {
	t      *testing.T
	server *natsserver.Server
	nc     *nats.Conn
	dir    string
	price  float64

	mutex sync.Mutex
	heard map[string]int // by what: an action, or refused:GATE
}

func newDesk(t *testing.T) *desk { return newDeskOn(t, testnats.Start(t, natsserver.Config{})) }

func newDeskOn(t *testing.T, server *natsserver.Server) *desk {
	d := &desk{t: t, server: server, dir: t.TempDir(), heard: map[string]int{}}
	var err error
	if d.nc, err = nats.Connect(d.server.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.nc.Close)
	note := func(what string) {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.heard[what]++
	}
	for subject, take := range map[string]nats.MsgHandler{ // order-free: two subscriptions
		"sig.v1.>": func(m *nats.Msg) {
			if body, _, err := signal.Decode(m.Data); err == nil {
				note(body.Action.String())
				note("passed")
			}
		},
		"rej.v1.>": func(m *nats.Msg) {
			r, err := signal.DecodeRejectionJSON(m.Data)
			if err != nil || m.Subject != "rej.v1."+r.Gate+".v.A" {
				t.Errorf("%s: %s: %v", m.Subject, m.Data, err)
			}
			note("refused:" + r.Gate)
		},
	} {
		if _, err := d.nc.Subscribe(subject, take); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) start(risk string) *Live {
	d.t.Helper()
	return d.startWith(risk, "")
}

func (d *desk) startWith(risk, extra string) *Live {
	d.t.Helper()
	c, err := config.Parse("test.yaml", []byte("version: 1\nfeeds: [{name: a, subject: md.>, codec: json}]\n"+
		"signals: [{name: q, value: mid, when: value > 0, exit: bid_size > 100, side: 1}]\nrisk: "+risk+"\n"+extra), os.ReadFile)
	if err != nil {
		d.t.Fatal(err)
	}
	c.Journal.Dir = d.dir
	l, err := Start(options(c, d.server))
	if err != nil {
		d.t.Fatal(err)
	}
	return l
}

func (d *desk) send(subject, message string) {
	d.t.Helper()
	if err := errors.Join(d.nc.Publish(subject, []byte(message)), d.nc.Flush()); err != nil {
		d.t.Fatal(err)
	}
}

// until quotes, always another price, until something is heard that was not heard before.
func (d *desk) until(what string) {
	d.t.Helper()
	count := func() int {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		return d.heard[what]
	}
	before := count()
	waitFor(d.t, func() bool {
		d.price += 0.01
		d.send("md.v", fmt.Sprintf(`{"type":"quote","venue":"v","symbol":"A","bid":%g,"bid_size":1,"ask":%g,"ask_size":1}`, 100+d.price, 100.1+d.price))
		return count() > before
	})
}

func (d *desk) stop(l *Live) {
	d.t.Helper()
	stop(d.t, l)
	status := l.Status()
	verifyRun(d.t, status.Journal, status.OutputHash, status.Signals)
}

// TestFillsAndRejections: what is refused is heard of, fills open and close the gates, and the journal decides the same.
func TestFillsAndRejections(t *testing.T) {
	d := newDesk(t)
	l := d.start("{fills: fill.>, position: 100, size: 1, budget: {fills_stale: 1h}}")
	d.until("refused:fills") // nobody has told of fills
	d.send("fill.x", `{"type":"position","venue":"v","symbol":"A","size":5,"price":100}`)
	d.until("enter")
	d.send("fill.x", `{"type":"fill","venue":"v","symbol":"A","side":"buy","size":95,"price":100}`)
	d.until("refused:position")
	d.send("fill.x", `{"type":"fill","venue":"v","symbol":"A","side":"sell","size":50,"price":100}`)
	d.until("update")
	d.send("fill.x", `{"type":"fill"}`)
	d.until("refused:position") // something was missed: how much is held is not known
	d.send("fill.x", `[{"type":"position","venue":"v","symbol":"A","size":1,"price":100},{"type":"heartbeat","complete":true}]`)
	d.until("update")
	d.stop(l)
}

// TestLatchesSurvive: what an operator killed stays killed in the next run, until one resumes it with name and reason.
func TestLatchesSurvive(t *testing.T) {
	d := newDesk(t)
	kill := engine.Command{Verb: feed.ControlKill, Scope: feed.ScopeSignal}
	resume := engine.Command{Verb: feed.ControlResume, Scope: feed.ScopeSignal, By: "ann", Reason: "looked at it"}
	l := d.start("{}")
	d.until("enter")
	if err := l.Command(kill); err != nil {
		t.Fatal(err)
	}
	d.until("refused:kill")
	d.stop(l)
	l = d.start("{}")
	d.until("refused:kill")
	if err := l.Command(engine.Command{Verb: feed.ControlResume, Scope: feed.ScopeSignal}); !errors.Is(err, engine.ErrCommand) {
		t.Errorf("a resume without a name: %v", err)
	}
	if err := l.Command(resume); err != nil {
		t.Fatal(err)
	}
	d.until("enter")
	d.stop(l)
	l = d.start("{}")
	d.until("enter")
	d.stop(l)
	if err := os.WriteFile(filepath.Join(d.dir, latchesFile), []byte("?"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := l.options.Config
	if _, err := Start(options(c, d.server)); !errors.Is(err, ErrLatches) {
		t.Errorf("started although what was killed is not known: %v", err)
	}
}

// TestFactsFromOutside: a silent supervisor, a full disk and late decisions stop signals as long as they last.
func TestFactsFromOutside(t *testing.T) {
	d := newDesk(t)
	l := d.start("{deadman: {after: 300ms, subject: ops.hb}}")
	d.until("refused:deadman")
	var beat sync.WaitGroup
	end := make(chan struct{})
	beat.Go(func() {
		for waiting := true; waiting; {
			select {
			case <-end:
				waiting = false
			default:
				d.send("ops.hb", "")
			}
		}
	})
	d.until("passed")
	close(end)
	beat.Wait()
	d.stop(l)

	l = d.start("{latency: {limit: 1ns, late: 1, of: 1, clean: 1}}")
	d.until("refused:latency")
	d.stop(l)

	d.dir = t.TempDir()
	l = d.start("{decode_errors: 3, decode_window: 1h}")
	d.until("enter")
	for range 5 {
		d.send("md.v", "rubbish")
	}
	d.until("refused:decode")
	d.stop(l)
}
