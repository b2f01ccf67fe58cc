package live

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/control"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
)

// exampleServer starts a server with the example of the documentation, on another port.
func exampleServer(t *testing.T) *natsserver.Server {
	t.Helper()
	for _, user := range []string{"ENGINE", "FEED", "FILLS", "SUPERVISOR", "ROUTER", "OBSERVER", "ANN", "BOB"} {
		t.Setenv(user+"_PASSWORD", "pw-"+strings.ToLower(user))
	}
	read, err := server.ProcessConfigFile(filepath.Join("..", "..", "docs", "nats-server.conf.example"))
	if err != nil {
		t.Fatal(err)
	}
	return testnats.Start(t, natsserver.Config{Adjust: func(o *server.Options) {
		read.Port, read.NoLog, read.NoSigs = server.RANDOM_PORT, true, true
		*o = *read
	}})
}

// as logs a user in.
func as(t *testing.T, s *natsserver.Server, user string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(s.URL(), nats.UserInfo(user, "pw-"+user), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// denied reports whether the server refuses what do does on a connection of a user's own.
func denied(t *testing.T, s *natsserver.Server, user string, do func(*nats.Conn) error) bool {
	t.Helper()
	nc := as(t, s, user)
	defer nc.Close()
	if err := errors.Join(do(nc), nc.FlushTimeout(5*time.Second)); err != nil {
		t.Fatal(err)
	}
	return errors.Is(nc.LastError(), nats.ErrPermissionViolation)
}

// TestRights: the example server lets everyone do what the documentation says, and nothing else.
func TestRights(t *testing.T) {
	s := exampleServer(t)
	read := "ctl.v1.main.status ctl.v1.main.limits ctl.v1.main.config ctl.v1.main.explain cur.v1.main $SRV.PING"
	hears := "sig.v1.q.v.A rej.v1.kill.v.A hb.v1.main.i"
	ann := " ctl.v1.main.kill.ann ctl.v1.kill.ann ctl.v1.main.resume.ann ctl.v1.main.limits.ann"
	bob := " ctl.v1.main.kill.bob ctl.v1.kill.bob"
	subjects := strings.Fields(read + ann + bob + " ctl.v1.main.resume.bob ctl.v1.main.limits.bob md.v.A fill.v1.x sig.v1.q.v.A sigx.main.q.v.A rej.v1.kill.v.A hb.v1.main.i ctl.v1.hb other")
	topics := strings.Fields(hears + " md.v.A fill.v1.x ctl.v1.main.kill.ann cur.v1.main other")
	for _, test := range []struct{ user, publishes, hears string }{
		{"engine", "sig.v1.q.v.A sigx.main.q.v.A rej.v1.kill.v.A hb.v1.main.i", "md.v.A fill.v1.x ctl.v1.main.kill.ann cur.v1.main"},
		{"feed", "md.v.A", ""},
		{"fills", "fill.v1.x", ""},
		{"supervisor", "ctl.v1.hb", "hb.v1.main.i"},
		{"router", "cur.v1.main", "sig.v1.q.v.A hb.v1.main.i"},
		{"observer", read, hears},
		{"ann", read + ann, hears},
		{"bob", read + bob, hears},
	} {
		may := " " + test.publishes + " "
		for _, subject := range subjects {
			got := !denied(t, s, test.user, func(nc *nats.Conn) error { return nc.Publish(subject, nil) })
			if want := strings.Contains(may, " "+subject+" "); got != want {
				t.Errorf("%s may publish %s: %v", test.user, subject, got)
			}
		}
		for _, subject := range topics {
			got := !denied(t, s, test.user, func(nc *nats.Conn) error { _, err := nc.SubscribeSync(subject); return err })
			if want := strings.Contains(" "+test.hears+" ", " "+subject+" "); got != want {
				t.Errorf("%s may hear %s: %v", test.user, subject, got)
			}
		}
	}
}

// TestEngineUnderRights: with these rights an engine runs without a complaint; an observer sees it and cannot stop it; an
// operator stops it under the own name and no other.
func TestEngineUnderRights(t *testing.T) {
	s := exampleServer(t)
	c, err := config.Parse("test.yaml", []byte("version: 1\nfeeds: [{name: a, subject: md.>, codec: json}]\n"+
		"signals: [{name: q, value: mid, when: value > 0, side: 1}]\nrisk: {fills: fill.v1.>, deadman: {after: 1h}}\n"), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	o := options(c, s)
	o.Connection.User, o.Connection.Password = "engine", "pw-engine"
	l, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, l)
	feed, observer, ann := as(t, s, "feed"), as(t, s, "observer"), as(t, s, "ann")
	send := func() {
		if err := errors.Join(feed.Publish("md.v", []byte(`{"type":"quote","venue":"v","symbol":"A","bid":1,"bid_size":1,"ask":1.01,"ask_size":1}`)), feed.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool { send(); return l.Status().Signals > 0 })
	d := &desk{t: t, nc: observer}
	if status, _ := request[control.Status](d, "ctl.v1.main.status", ""); status.State != "active" || !status.Output {
		t.Errorf("%+v", status)
	}
	for _, subject := range []string{"ctl.v1.main.kill.observer", "ctl.v1.main.kill.ann", "ctl.v1.kill.observer"} {
		if m, err := observer.Request(subject, nil, 100*time.Millisecond); err == nil {
			t.Errorf("an observer's kill on %s was answered: %s", subject, m.Data)
		}
	}
	if m, err := ann.Request("ctl.v1.main.kill.bob", nil, 100*time.Millisecond); err == nil {
		t.Errorf("ann as bob was answered: %s", m.Data)
	}
	if status, _ := request[control.Status](d, "ctl.v1.main.status", ""); status.State != "active" {
		t.Errorf("%+v", status)
	}
	d.nc = ann
	if done, _ := request[control.Done](d, "ctl.v1.main.kill.ann", `{"scope":"all","reason":"drill"}`); !done.Done || done.Operator != "ann" {
		t.Errorf("%+v", done)
	}
	for _, text := range []string{l.outside.control.Stats().LastError, l.output.Stats().LastError} {
		if text != "" {
			t.Errorf("the engine's own rights are not enough: %s", text)
		}
	}
}
