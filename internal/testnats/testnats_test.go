package testnats

import (
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/internal/natsserver"
)

func reachable(url string) bool {
	nc, err := nats.Connect(url)
	if err != nil {
		return false
	}
	nc.Close()
	return true
}

func TestEmbeddedRestart(t *testing.T) {
	s := Start(t, natsserver.Config{})
	if !reachable(s.URL()) {
		t.Fatal("not reachable")
	}
	s.Close()
	if reachable(s.URL()) {
		t.Fatal("reachable though closed")
	}
	if again := Restart(t, s.Port()); again.URL() != s.URL() || !reachable(s.URL()) {
		t.Fatal("not restarted in the same place")
	}
}

func TestProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no server process")
	}
	p := StartProcess(t)
	if !reachable(p.URL()) {
		t.Fatal("not reachable")
	}
	p.Kill()
	if reachable(p.URL()) {
		t.Fatal("reachable though killed")
	}
	p.Kill() // twice is harmless
	p.Start()
	if !reachable(p.URL()) {
		t.Fatal("not reachable again")
	}
}
