package natsconn

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestSettings holds the settings that the package comment promises.
func TestSettings(t *testing.T) {
	config := Config{Name: "sigengine/test"}
	config.setDefaults()
	options, err := config.options()
	if err != nil {
		t.Fatal(err)
	}
	got := nats.GetDefaultOptions()
	for _, option := range options {
		if err := option(&got); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"name", got.Name, "sigengine/test"},
		{"reconnects for ever", got.MaxReconnect, -1},
		{"allow reconnect", got.AllowReconnect, true},
		{"wait", got.ReconnectWait, 25 * time.Millisecond},
		{"jitter", got.ReconnectJitter, 10 * time.Millisecond},
		{"jitter TLS", got.ReconnectJitterTLS, 50 * time.Millisecond},
		{"no buffer", got.ReconnectBufSize, -1},
		{"ping", got.PingInterval, time.Second},
		{"pings out", got.MaxPingsOut, 2},
		{"write timeout", got.FlusherTimeout, 250 * time.Millisecond},
		{"gives up on it", got.ReconnectOnFlusherError, true},
		{"drain", got.DrainTimeout, 2 * time.Second},
		{"connect", got.Timeout, 2 * time.Second},
		{"no echo", got.NoEcho, true},
		{"first failure is told", got.RetryOnFailedConnect, false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
