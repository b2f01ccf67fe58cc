package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/control"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/replay/journal"
)

// request asks and decodes the first answer.
func request[T any](d *desk, subject, body string) (answer T, header nats.Header) {
	d.t.Helper()
	m, err := d.nc.Request(subject, []byte(body), 5*time.Second)
	if err != nil {
		d.t.Fatalf("%s: %v", subject, err)
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		d.t.Fatalf("%s: %s: %v", subject, m.Data, err)
	}
	return answer, m.Header
}

// notesOf returns the notes of a run's journal.
func notesOf(t *testing.T, dir string) (notes []string) {
	t.Helper()
	reader, err := journal.OpenReader(journal.NewDirStore(dir), journal.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for block, err := reader.Next(); err == nil; block, err = reader.Next() {
		if blob, ok := block.Blob(); ok && blob.Name == engine.NoteBlob && !block.Repeated {
			notes = append(notes, string(blob.Data))
		}
	}
	return notes
}

// TestOperators: what an operator does by requests takes effect, is journaled with the name, and replays to the same bits.
func TestOperators(t *testing.T) {
	d := newDesk(t)
	l := d.start("{}")
	d.until("enter")
	if s, _ := request[control.Status](d, "ctl.v1.main.status", ""); s.State != "active" || s.Executor != "cpu" || s.Sequence == 0 || s.Signals == 0 ||
		s.Build != "test" || s.ConfigHash != l.options.Config.Hash() || s.Generation != 1 || !s.Input || !s.Output || s.Journal != l.Status().Journal || s.InForce.Any() {
		t.Errorf("%+v", s)
	}
	done, _ := request[control.Done](d, "ctl.v1.main.kill.ann", `{"scope":"signal:q","reason":"odd \"values\""}`)
	if !done.Done || done.Operator != "ann" || len(done.Latches.KillSignals) != 1 || done.State != "active" {
		t.Errorf("%+v", done)
	}
	d.until("refused:kill")
	if done, h := request[control.Done](d, "ctl.v1.main.resume.bob", `{"scope":"signal:q"}`); done.Done || done.Error == "" || h.Get(micro.ErrorCodeHeader) != "400" {
		t.Errorf("resumed without a reason: %+v", done)
	}
	if done, _ := request[control.Done](d, "ctl.v1.main.resume.bob", `{"scope":"signal:q","reason":"looked at it"}`); !done.Done || done.Latches.Any() {
		t.Errorf("%+v", done)
	}
	d.until("passed")
	if done, _ := request[control.Done](d, "ctl.v1.main.kill.eve%20x", ""); !done.Done || done.Scope != "all" || done.State != "halted" || done.Operator != "eve x" {
		t.Errorf("%+v", done)
	}
	d.until("refused:kill")
	if s, _ := request[control.Status](d, "ctl.v1.main.status", ""); s.State != "halted" || !s.InForce.KillAll || s.Rejected["kill"] == 0 {
		t.Errorf("%+v", s)
	}
	d.stop(l)
	want := []string{
		`verb=kill scope=signal signal="q" instrument="" by="ann" reason="odd \"values\""`,
		`verb=resume scope=signal signal="q" instrument="" by="bob" reason="looked at it"`,
		`verb=kill scope=all signal="" instrument="" by="eve x" reason="none given"`,
	}
	notes := notesOf(t, l.Status().Journal)
	for i, note := range notes {
		if i >= len(want) || !strings.HasSuffix(note, want[i]) {
			t.Errorf("note %d: %s", i, note)
		}
	}
	if len(notes) != len(want) {
		t.Errorf("%d notes, want %d", len(notes), len(want))
	}
}

// TestKillsFailClosed: a kill that cannot be understood is one of everything; another command that cannot be is none.
func TestKillsFailClosed(t *testing.T) {
	d := newDesk(t)
	l := d.start("{}")
	for _, test := range []struct {
		subject, body string
		code          string
		killed        bool
	}{
		{"ctl.v1.main.kill.a", `{"scope":"signal:none"}`, "404", false},
		{"ctl.v1.main.kill.a", `{`, "", true},
		{"ctl.v1.main.kill.a", `{"scope":"sgnal:q"}`, "", true},
		{"ctl.v1.main.kill.a", `{"signal":"q"}`, "", true},
		{"ctl.v1.kill.a", `{"scope":"signal:q"}`, "", true},
	} {
		done, h := request[control.Done](d, test.subject, test.body)
		if h.Get(micro.ErrorCodeHeader) != test.code || done.Latches.KillAll != test.killed || done.Done != test.killed {
			t.Errorf("%s %s: %v %+v", test.subject, test.body, h, done)
		}
		for _, bad := range []string{``, `{`, `{"reason":"r"}`, `{"scope":"x","reason":"r"}`, `{"scope":"all","reason":"r","more":1}`, `{"scope":"all","reason":"r"}{}`, `{"scope":"all","reason":" "}`} {
			if done, h := request[control.Done](d, "ctl.v1.main.resume.a", bad); done.Done || h.Get(micro.ErrorCodeHeader) != "400" || done.Latches.KillAll != test.killed {
				t.Errorf("resume %q: %v %+v", bad, h, done)
			}
		}
		if done, _ := request[control.Done](d, "ctl.v1.main.resume.a", `{"scope":"all","reason":"`+strings.Repeat("é", 600)+`"}`); !done.Done || done.Latches.Any() {
			t.Errorf("%+v", done)
		}
	}
	if done, h := request[control.Done](d, "ctl.v1.main.kill.a", `{"scope":"instrument:v.NEW","reason":"r"}`); !done.Done || len(done.Latches.Killed) != 1 {
		t.Errorf("an instrument not seen yet: %v %+v", h, done)
	}
	d.stop(l)
}

// TestKillIsHeardByAll: every instance of a partition obeys one kill, and of every partition one of all.
func TestKillIsHeardByAll(t *testing.T) {
	d := newDesk(t)
	var runs []*Live
	for i, partition := range []string{"main", "main", "other"} {
		d.dir = t.TempDir()
		l := d.startWith("{}", fmt.Sprintf("partition: %s\npublish: {instance: i%d}\n", partition, i))
		defer stop(t, l)
		runs = append(runs, l)
	}
	halted := func() (out []bool) {
		for _, l := range runs {
			out = append(out, newFace(l).Status().InForce.KillAll)
		}
		return out
	}
	d.send("ctl.v1.main.kill.ann", "") // nobody waits for an answer
	waitFor(t, func() bool { return fmt.Sprint(halted()) == "[true true false]" })
	d.send("ctl.v1.kill.ann", "")
	waitFor(t, func() bool { return fmt.Sprint(halted()) == "[true true true]" })
}

// TestLimitsWhileRunning: a limit is tightened at once, and loosened in two steps; a restart keeps it, and a replay crosses it.
func TestLimitsWhileRunning(t *testing.T) {
	d := newDesk(t)
	set := func(operator, body string) control.Done {
		done, _ := request[control.Done](d, "ctl.v1.main.limits."+operator, body)
		return done
	}
	for _, people := range []bool{false, true} {
		d.dir = t.TempDir()
		extra := ""
		if people {
			extra = "control: {loosen: people}\n"
		}
		l := d.startWith("{}", extra)
		d.until("enter")
		if done := set("ann", `{"limit":"spread","value":0.00001,"reason":"thin market"}`); !done.Done || done.Latches.Tightened[0].Value != 0.00001 {
			t.Fatalf("%+v", done)
		}
		d.until("refused:spread")
		d.stop(l)
		l = d.startWith("{}", extra)
		d.until("refused:spread")
		if done := set("bob", `{"limit":"spread","value":0,"confirm":true,"reason":"r"}`); done.Done || done.Error == "" {
			t.Errorf("confirmed what nobody asked: %+v", done)
		}
		if done := set("ann", `{"limit":"spread","value":0,"reason":"thicker"}`); done.Done || !done.Pending || !done.Latches.Any() {
			t.Errorf("loosened in one step: %+v", done)
		}
		if done := set("ann", `{"limit":"spread","value":0.04,"confirm":true,"reason":"r"}`); done.Done {
			t.Errorf("confirmed another value: %+v", done)
		}
		if people {
			if done := set("ann", `{"limit":"spread","value":0,"confirm":true,"reason":"r"}`); done.Done {
				t.Errorf("confirmed oneself: %+v", done)
			}
		}
		confirmer := map[bool]string{false: "ann", true: "bob"}[people]
		if done := set(confirmer, `{"limit":"spread","value":0,"confirm":true,"reason":"thicker"}`); !done.Done || done.Latches.Any() {
			t.Errorf("%+v", done)
		}
		d.until("passed")
		if done := set("ann", `{"limit":"spread","value":0,"confirm":true,"reason":"r"}`); !done.Done {
			t.Errorf("what is as configured already: %+v", done)
		}
		for _, bad := range []string{`{"limit":"value_max","value":1,"reason":"off"}`, `{"limit":"x","value":1,"reason":"r"}`, `{"limit":"spread","value":-1,"reason":"r"}`, `{"limit":"spread","value":0.1}`, `{"value":`} {
			if done := set("ann", bad); done.Done || done.Error == "" || done.Latches.Any() {
				t.Errorf("%s: %+v", bad, done)
			}
		}
		d.stop(l)
		notes := strings.Join(notesOf(t, l.Status().Journal), "\n")
		if !strings.Contains(notes, `verb=tighten scope=spread=1e-05 signal="" instrument="" by="restart"`) ||
			!strings.Contains(notes, `verb=tighten scope=spread=0 signal="" instrument="" by="`+confirmer+`, asked by ann" reason="thicker"`) {
			t.Errorf("notes\n%s", notes)
		}
	}
}

// TestAnswers: limits, configuration and explanations.
func TestAnswers(t *testing.T) {
	d := newDesk(t)
	l := d.start("{position: 10, size: 1, fills: fill.>}")
	defer d.stop(l)
	if a, _ := request[control.Limits](d, "ctl.v1.main.limits", ""); len(a.Limits) != 10 || a.Loosen != "steps" ||
		a.Limits[2] != (control.Limit{Limit: "spread", Unit: "of the middle", Configured: 0.05, Effective: 0.05}) || a.Limits[7].Configured != 10 {
		t.Errorf("%+v", a)
	}
	a, _ := request[control.ConfigAnswer](d, "ctl.v1.main.config", "")
	if c, err := config.Parse("a.yaml", []byte(a.Config), nil); err != nil || !c.Equal(l.options.Config) {
		t.Errorf("%s: %v", a.Config, err)
	}
	if a, h := request[control.Explanation](d, "ctl.v1.main.explain", `{"signal":"none"}`); a.Error == "" || h.Get(micro.ErrorCodeHeader) != "404" {
		t.Errorf("%+v", a)
	}
	if a, _ := request[control.Explanation](d, "ctl.v1.main.explain", `{"signal":"q","seq":"7"}`); a.Command != "sigengine explain "+l.Status().Journal+" --at 7 q" {
		t.Errorf("%+v", a)
	}
	if a, _ := request[control.Explanation](d, "ctl.v1.main.explain", ``); a.Error == "" {
		t.Errorf("explained without a way to: %+v", a)
	}
}

// TestServiceIsFound: nats micro finds the service, its endpoints and its figures.
func TestServiceIsFound(t *testing.T) {
	d := newDesk(t)
	l := d.start("{}")
	if p, _ := request[micro.Ping](d, "$SRV.PING.sigengine", ""); p.Metadata["partition"] != "main" || p.Version != "0.0.0" {
		t.Errorf("%+v", p)
	}
	info, _ := request[micro.Info](d, "$SRV.INFO.sigengine", "")
	var names []string
	for _, e := range info.Endpoints {
		names = append(names, e.Name+" "+e.Subject+" "+e.QueueGroup)
	}
	if got := strings.Join(names, ", "); got != "status ctl.v1.main.status , kill ctl.v1.main.kill.* , kill-all ctl.v1.kill.* , resume ctl.v1.main.resume.* , "+
		"limits ctl.v1.main.limits , limits-set ctl.v1.main.limits.* , config ctl.v1.main.config sigengine-main, explain ctl.v1.main.explain sigengine-main" {
		t.Error(got)
	}
	request[control.Status](d, "ctl.v1.main.status", "")
	waitFor(t, func() bool { // a request counts after it was answered
		s, _ := request[micro.Stats](d, "$SRV.STATS.sigengine", "")
		return s.Endpoints[0].NumRequests == 1 && strings.Contains(string(s.Endpoints[0].Data), `"state":"active"`)
	})
	d.stop(l)
	if _, err := d.nc.Request("$SRV.PING.sigengine", nil, time.Second); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("still there: %v", err)
	}
}

// TestHeartbeats: numbered without a hole, with the state, and a last one that says stopped.
func TestHeartbeats(t *testing.T) {
	d := newDesk(t)
	beats := make(chan *nats.Msg, 1000)
	if _, err := d.nc.ChanSubscribe("hb.v1.main.*", beats); err != nil {
		t.Fatal(err)
	}
	l := d.startWith("{}", "control: {beat: 10ms}\npublish: {instance: 'a b'}\n")
	d.until("enter")
	request[control.Done](d, "ctl.v1.main.kill.ann", "")
	last := control.Beat{}
	next := func() {
		t.Helper()
		select {
		case m := <-beats:
			var b control.Beat
			if err := json.Unmarshal(m.Data, &b); err != nil || m.Subject != "hb.v1.main.a%20b" || b.Number != last.Number+1 || b.Sequence < last.Sequence || b.Instance != "a b" {
				t.Fatalf("%s %s after %+v: %v", m.Subject, m.Data, last, err)
			}
			last = b
		case <-time.After(10 * time.Second):
			t.Fatal("no heartbeat")
		}
	}
	for last.State != "halted" {
		next()
	}
	if !last.InForce || last.Sequence == 0 || last.Signals == 0 || last.Build != "test" || last.ConfigHash == "" || last.Epoch == 0 || last.AtNs == 0 {
		t.Errorf("%+v", last)
	}
	d.stop(l)
	for last.State != control.Stopped {
		next()
	}
	if len(beats) > 0 {
		t.Errorf("%d after the last", len(beats))
	}
}

// TestControlOff: without subjects nobody is answered and nothing is sent.
func TestControlOff(t *testing.T) {
	d := newDesk(t)
	heard := make(chan *nats.Msg, 10)
	if _, err := d.nc.ChanSubscribe("hb.>", heard); err != nil {
		t.Fatal(err)
	}
	l := d.startWith("{}", "control: {subject: off, heartbeat: off, beat: 10ms}\n")
	d.until("enter")
	for _, subject := range []string{"ctl.v1.main.status", "$SRV.PING"} {
		if _, err := d.nc.Request(subject, nil, time.Second); !errors.Is(err, nats.ErrNoResponders) {
			t.Errorf("%s: %v", subject, err)
		}
	}
	d.stop(l)
	if len(heard) > 0 {
		t.Error("heartbeats")
	}
}
