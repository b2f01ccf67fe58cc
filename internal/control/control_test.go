package control

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
	"github.com/sigengine/sigengine/risk"
)

func TestSubjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		operator := rapid.StringN(1, -1, operatorBytesMax).Draw(t, "operator")
		subject, err := OrderSubject("ctl.v1", "main", VerbKill, operator)
		if err != nil || strings.Count(subject, ".") != 4 || strings.ContainsAny(subject, " *>") || operatorOf(subject) != operator {
			t.Fatalf("%q: %q, %v, back %q", operator, subject, err, operatorOf(subject))
		}
	})
	for _, bad := range []string{"", strings.Repeat("a", operatorBytesMax+1)} {
		if _, err := KillAllSubject("ctl.v1", bad); err == nil {
			t.Errorf("%q is a name", bad)
		}
	}
	if got := operatorOf("ctl.v1.main.kill." + strings.Repeat("a", 100)); len(got) != operatorBytesMax {
		t.Errorf("a long token became %q", got)
	}
	if got := operatorOf("ctl.v1.main.kill.%zz"); got != "%zz" {
		t.Errorf("a token that nobody writes became %q", got)
	}
}

func TestParseChange(t *testing.T) {
	for _, test := range []struct {
		text  string
		value float64
		ok    bool
	}{
		{"spread=1pct", 0.01, true},
		{"spread=20bp", float64(20 * 1e-4), true},
		{"spread=0.05", 0.05, true},
		{"stale=500ms", 0.5, true},
		{"stale=2", 2, true},
		{"rate=100", 100, true},
		{"gross=1e6", 1e6, true},
		{"net=off", 0, true},
		{"rate=5pct", 0, false},
		{"spread=500ms", 0, false},
		{"stale=-1s", 0, false},
		{"spread=0", 0, false},
		{"spread=NaN", 0, false},
		{"spread=Inf", 0, false},
		{"spread=", 0, false},
		{"spread", 0, false},
		{"=1", 0, false},
		{"speed=1", 0, false},
	} {
		c, err := ParseChange(test.text)
		if (err == nil) != test.ok || c.Value != test.value || err != nil && !errors.Is(err, ErrRequest) {
			t.Errorf("%s: %+v, %v", test.text, c, err)
		}
	}
}

func TestSemantic(t *testing.T) {
	for build, want := range map[string]string{ // order-free
		"sigengine v1.2.3 abc go1.26 linux/amd64":                               "1.2.3",
		"sigengine v0.0.0-20260101000000-abcdefabcdef+dirty abc+changes go1.26": "0.0.0-20260101000000-abcdefabcdef+dirty",
		"sigengine (devel) abc go1.26.1":                                        "0.0.0",
		"":                                                                      "0.0.0",
	} {
		if got := semantic(build); got != want {
			t.Errorf("%q: %s", build, got)
		}
	}
}

// TestSteps: a second step fits the first by limit and value, in time, once, and where it must be by another person.
func TestSteps(t *testing.T) {
	var c changes
	c.ask(waiting{limit: feed.LimitSpread, value: 1, operator: "ann", untilNs: 10})
	for _, test := range []struct {
		limit    feed.Limit
		value    float64
		operator string
		people   bool
		nowNs    int64
		ok       bool
	}{
		{feed.LimitStale, 1, "bob", true, 10, false},
		{feed.LimitSpread, 2, "bob", true, 10, false},
		{feed.LimitSpread, 1, "ann", true, 10, false},
		{feed.LimitSpread, 1, "bob", true, 10, true},
		{feed.LimitSpread, 1, "bob", true, 10, false}, // it is used up
	} {
		by, err := c.confirm(test.limit, test.value, test.operator, test.people, test.nowNs)
		if (err == nil) != test.ok || test.ok && by != "ann" || err != nil && !errors.Is(err, ErrStep) {
			t.Errorf("%+v: %q, %v", test, by, err)
		}
	}
	c.ask(waiting{limit: feed.LimitSpread, value: 1, operator: "ann", untilNs: 10})
	if _, err := c.confirm(feed.LimitSpread, 1, "ann", false, 11); err == nil {
		t.Error("confirmed too late")
	}
	for i := range 3 * waitingMax {
		c.ask(waiting{limit: feed.LimitSpread, value: float64(i / 2), operator: "ann", untilNs: 100})
	}
	if len(c.waiting) != waitingMax {
		t.Errorf("%d first steps are kept", len(c.waiting))
	}
}

// fake is an engine that takes commands and does what the test says.
type fake struct {
	mutex    sync.Mutex
	commands []engine.Command
	latches  risk.Latches
	told     uint64
	deaf     bool // takes commands and does nothing
	err      error
}

func (f *fake) Who() Who {
	return Who{Version: Version, Partition: "p", Instance: "i", Build: "sigengine v1.2.3"}
}
func (f *fake) Status() Status { return Status{Who: f.Who(), State: "active"} }
func (f *fake) Beat() Beat     { return Beat{Who: f.Who(), State: "active"} }
func (f *fake) NowNs() int64   { return 1 }

func (f *fake) InForce() (risk.Latches, uint64) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.latches, f.told
}

func (f *fake) Command(c engine.Command) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.err != nil {
		return f.err
	}
	f.commands = append(f.commands, c)
	if !f.deaf {
		f.told++
		f.latches.KillAll = c.Verb == feed.ControlKill
	}
	return nil
}

func (f *fake) set(change func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	change()
}

// connections are two to a server of the test's: a connection does not hear itself.
func connections(t *testing.T) (a, b *natsconn.Connection) {
	t.Helper()
	server := testnats.Start(t, natsserver.Config{})
	for _, c := range []**natsconn.Connection{&a, &b} {
		var err error
		if *c, err = natsconn.Connect(natsconn.Config{Servers: server.URL()}, natsconn.Handlers{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup((*c).Close)
	}
	return a, b
}

// served starts a service of a fake engine, and returns what asks it.
func served(t *testing.T) (*fake, *Service, func(subject, body string) (Done, nats.Header)) {
	t.Helper()
	connection, other := connections(t)
	c := config.Default()
	c.Partition = "p"
	f := &fake{}
	s, err := Serve(Options{Config: c, Connection: connection, Engine: f, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return f, s, func(subject, body string) (d Done, h nats.Header) {
		t.Helper()
		answers, err := other.AskAll(t.Context(), subject, []byte(body), 5*time.Second, time.Millisecond)
		if err != nil {
			t.Fatalf("%s: %v", subject, err)
		}
		if err := json.Unmarshal(answers[0].Data, &d); err != nil {
			t.Fatal(err)
		}
		return d, answers[0].Header
	}
}

// TestNotInForce: a command that the desk does not confirm is never told as done.
func TestNotInForce(t *testing.T) {
	f, s, ask := served(t)
	defer s.Stop()
	f.set(func() { f.deaf = true })
	if d, h := ask("ctl.v1.p.kill.ann", ""); d.Done || d.Error == "" || h.Get(micro.ErrorCodeHeader) != "504" || len(f.commands) != 1 {
		t.Errorf("%+v %v", d, h)
	}
	f.set(func() { f.deaf, f.err = false, engine.ErrCommand })
	if d, h := ask("ctl.v1.p.kill.ann", ""); d.Done || h.Get(micro.ErrorCodeHeader) != "400" {
		t.Errorf("%+v %v", d, h)
	}
	f.set(func() { f.err = nil })
	if d, _ := ask("ctl.v1.p.kill.ann", ""); !d.Done {
		t.Errorf("%+v", d)
	}
}

// TestAskAll: answers of all, none at once where nobody listens, and what the server complained of.
func TestAskAll(t *testing.T) {
	other, connection := connections(t)
	if _, err := connection.AskAll(t.Context(), "nobody", nil, time.Hour, time.Hour); !errors.Is(err, natsconn.ErrNoAnswer) {
		t.Errorf("nobody listens: %v", err)
	}
	for _, text := range []string{"a", "b"} {
		if err := other.Answer("all", func([]byte) []byte { return []byte(text) }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := other.Subscribe("mute", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	if err := other.Flush(5 * time.Second); err != nil {
		t.Fatal(err)
	}
	if answers, err := connection.AskAll(t.Context(), "all", nil, 5*time.Second, 200*time.Millisecond); err != nil || len(answers) != 2 {
		t.Errorf("%d answers, %v", len(answers), err)
	}
	if _, err := connection.AskAll(t.Context(), "mute", nil, 10*time.Millisecond, time.Hour); !errors.Is(err, natsconn.ErrNoAnswer) {
		t.Errorf("nobody answers: %v", err)
	}
}

// FuzzOrders: whatever a request is, the service answers, a kill is never less than asked, and nothing else acts unless it
// was understood.
func FuzzOrders(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"scope":"all","reason":"r"}`, `{"scope":"signal:q"}`, `[`, `{"scope":"all","reason":"r"}x`, `{"Scope":"ALL","reason":"\u0000"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e := &fake{}
		s := &Service{options: Options{Config: config.Default(), Engine: e, Log: slog.New(slog.DiscardHandler)}}
		r := &fakeRequest{subject: "ctl.v1.main.kill.ann", data: data}
		s.kill(r)
		if !r.answered || len(e.commands) > 1 || len(e.commands) == 0 && !r.failed {
			t.Fatalf("kill %q: %+v", data, e.commands)
		}
		e.commands = nil
		r = &fakeRequest{subject: "ctl.v1.main.resume.ann", data: data}
		s.resume(r)
		var o Order
		understood := decode(data, &o) == nil && strings.TrimSpace(o.Reason) != ""
		if !r.answered || len(e.commands) > 0 && !understood {
			t.Fatalf("resume %q: %+v", data, e.commands)
		}
		r = &fakeRequest{subject: "ctl.v1.main.limits.ann", data: data}
		s.setLimit(r)
		r2 := &fakeRequest{subject: "ctl.v1.main.explain", data: data}
		s.explain(r2)
		if !r.answered || !r2.answered {
			t.Fatalf("%q has no answer", data)
		}
	})
}

// fakeRequest is a request that nobody sent.
type fakeRequest struct {
	micro.Request
	subject          string
	data             []byte
	answered, failed bool
}

func (r *fakeRequest) Data() []byte    { return r.data }
func (r *fakeRequest) Subject() string { return r.subject }

func (r *fakeRequest) Respond([]byte, ...micro.RespondOpt) error {
	r.answered = true
	return nil
}

func (r *fakeRequest) Error(string, string, []byte, ...micro.RespondOpt) error {
	r.answered, r.failed = true, true
	return nil
}
