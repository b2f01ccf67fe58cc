package testnats

import (
	"testing"

	"github.com/sigengine/sigengine/internal/natsserver"
)

// Start starts an embedded server that ends with the test.
func Start(t testing.TB, config natsserver.Config) *natsserver.Server {
	t.Helper()
	s, err := natsserver.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Restart starts a server on the port of one that was closed.
func Restart(t testing.TB, port int) *natsserver.Server {
	t.Helper()
	return Start(t, natsserver.Config{Port: port})
}
