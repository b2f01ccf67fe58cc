package natsserver_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/internal/natsserver"
)

func start(t *testing.T, config natsserver.Config) *natsserver.Server {
	t.Helper()
	s, err := natsserver.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func roundTrip(t *testing.T, url string, options ...nats.Option) {
	t.Helper()
	nc, err := nats.Connect(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sub, err := nc.SubscribeSync("a.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Publish("a.b", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	message, err := sub.NextMsg(10 * time.Second)
	if err != nil || string(message.Data) != "hello" {
		t.Fatalf("%v, %v", message, err)
	}
}

func TestTCPAndInProcess(t *testing.T) {
	s := start(t, natsserver.Config{})
	if s.Port() == 0 {
		t.Fatal("no port")
	}
	roundTrip(t, s.URL())
	roundTrip(t, "", nats.InProcessServer(s))
}

func TestLogin(t *testing.T) {
	s := start(t, natsserver.Config{User: "u", Password: "p"})
	if nc, err := nats.Connect(s.URL()); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("without login: %v, %v", nc, err)
	}
	roundTrip(t, s.URL(), nats.UserInfo("u", "p"))
	s = start(t, natsserver.Config{Token: "t"})
	if nc, err := nats.Connect(s.URL(), nats.Token("x")); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("with a wrong token: %v, %v", nc, err)
	}
	roundTrip(t, s.URL(), nats.Token("t"))
}

func TestPortTaken(t *testing.T) {
	s := start(t, natsserver.Config{})
	if _, err := natsserver.Start(natsserver.Config{Port: s.Port()}); !errors.Is(err, natsserver.ErrStart) {
		t.Errorf("second server on port %d: %v", s.Port(), err)
	}
}

func TestRestartOnTheSamePort(t *testing.T) {
	s := start(t, natsserver.Config{})
	roundTrip(t, s.URL())
	port := s.Port()
	s.Close()
	if _, err := nats.Connect(s.URL()); err == nil {
		t.Error("still there after Close")
	}
	roundTrip(t, start(t, natsserver.Config{Port: port}).URL())
}

// Example starts the embedded server and sends a message through it.
func Example() {
	s, err := natsserver.Start(natsserver.Config{})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	nc, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		panic(err)
	}
	defer nc.Close()
	sub, err := nc.SubscribeSync("greetings")
	if err != nil {
		panic(err)
	}
	if err := nc.Publish("greetings", []byte("hello")); err != nil {
		panic(err)
	}
	message, err := sub.NextMsg(time.Second)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(message.Data))
	// Output: hello
}
