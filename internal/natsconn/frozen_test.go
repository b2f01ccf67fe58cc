//go:build unix

package natsconn_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/testnats"
)

// TestFrozenServer stops a server process where it is: pings must notice, and thawing must bring it back.
func TestFrozenServer(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no server process")
	}
	server := testnats.StartProcess(t)
	c := connect(t, natsconn.Config{
		Servers: server.URL(), PingInterval: 50 * time.Millisecond, ConnectTimeout: 200 * time.Millisecond,
	}, natsconn.Handlers{})
	server.Freeze()
	eventually(t, "disconnected", func() bool { return c.Stats().Disconnects == 1 })
	if err := c.Publish("x", nil); !errors.Is(err, nats.ErrReconnectBufExceeded) {
		t.Errorf("publish: %v", err)
	}
	server.Thaw()
	eventually(t, "reconnected", c.Connected)
}

// TestPublishIsBounded publishes to a server that has stopped reading, with pings too rare to notice. Once the kernel's
// buffers are full a publish must fail by itself, and the connection must be made anew.
func TestPublishIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no server process")
	}
	server := testnats.StartProcess(t)
	c := connect(t, natsconn.Config{
		Servers: server.URL(), PingInterval: time.Hour, WriteTimeout: 50 * time.Millisecond, ConnectTimeout: 200 * time.Millisecond,
	}, natsconn.Handlers{})
	server.Freeze()
	payload := make([]byte, 512<<10)
	var err error
	for sent := 0; err == nil; sent++ {
		if sent == 1000 { // half a gigabyte
			t.Fatal("the kernel takes everything: nothing to test")
		}
		err = c.Publish("x", payload)
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, nats.ErrReconnectBufExceeded) {
		t.Errorf("publish: %v", err)
	}
	eventually(t, "given up", func() bool { return c.Stats().Disconnects > 0 })
	server.Thaw()
	eventually(t, "reconnected", c.Connected)
	roundTrip(t, c, connect(t, natsconn.Config{Servers: server.URL()}, natsconn.Handlers{}))
}
