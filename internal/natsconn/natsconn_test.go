package natsconn_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
)

const patience = 30 * time.Second

func connect(t *testing.T, config natsconn.Config, handlers natsconn.Handlers) *natsconn.Connection {
	t.Helper()
	c, err := natsconn.Connect(config, handlers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func roundTrip(t *testing.T, out, in *natsconn.Connection) {
	t.Helper()
	got := make(chan string, 1)
	sub, err := in.Subscribe("x.y", func(m *nats.Msg) { got <- string(m.Data) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := sub.Unsubscribe(); err != nil {
			t.Error(err)
		}
	}()
	if err := in.Flush(patience); err != nil {
		t.Fatal(err)
	}
	if err := out.Publish("x.y", []byte("z")); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-got:
		if text != "z" {
			t.Errorf("got %q", text)
		}
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never %s", what)
		}
	}
}

func TestConnectTCPAndInProcess(t *testing.T) {
	s := testnats.Start(t, natsserver.Config{})
	tcp := connect(t, natsconn.Config{Servers: s.URL(), Name: "tcp"}, natsconn.Handlers{})
	pipe := connect(t, natsconn.Config{InProcess: s, Name: "pipe"}, natsconn.Handlers{})
	roundTrip(t, tcp, pipe)
	roundTrip(t, pipe, tcp)
	if stats := tcp.Stats(); !stats.Connected || stats.OutMessages == 0 || stats.InMessages == 0 || stats.Server == "" {
		t.Errorf("stats %+v", stats)
	}
}

func TestNobodyThere(t *testing.T) {
	s := testnats.Start(t, natsserver.Config{})
	s.Close()
	_, err := natsconn.Connect(natsconn.Config{Servers: "nats://me:secret@" + strings.TrimPrefix(s.URL(), "nats://")}, natsconn.Handlers{})
	var typed *natsconn.Error
	if !errors.As(err, &typed) || !strings.Contains(typed.Hint, "start a server") || !strings.Contains(typed.Hint, "--server") {
		t.Errorf("error %v", err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("password shown: %v", err)
	}
}

func TestWaitForServer(t *testing.T) {
	s := testnats.Start(t, natsserver.Config{})
	s.Close()
	c := connect(t, natsconn.Config{Servers: s.URL(), WaitForServer: true}, natsconn.Handlers{})
	if c.Connected() {
		t.Error("connected to nothing")
	}
	if err := c.Publish("x", nil); !errors.Is(err, nats.ErrReconnectBufExceeded) {
		t.Errorf("publish while waiting: %v", err)
	}
	testnats.Restart(t, s.Port())
	eventually(t, "connected", c.Connected)
}

func TestReconnect(t *testing.T) {
	s := testnats.Start(t, natsserver.Config{})
	lost, back := make(chan struct{}, 10), make(chan struct{}, 10)
	c := connect(t, natsconn.Config{Servers: s.URL()}, natsconn.Handlers{
		Disconnected: func(error) { lost <- struct{}{} },
		Reconnected:  func() { back <- struct{}{} },
	})
	s.Close()
	wait(t, lost)
	if err := c.Publish("x", []byte("stale")); !errors.Is(err, nats.ErrReconnectBufExceeded) {
		t.Errorf("publish without a connection: %v", err)
	}
	testnats.Restart(t, s.Port())
	wait(t, back)
	if stats := c.Stats(); stats.Disconnects != 1 || stats.Reconnects != 1 || !stats.Connected {
		t.Errorf("stats %+v", stats)
	}
	roundTrip(t, c, connect(t, natsconn.Config{Servers: s.URL()}, natsconn.Handlers{}))
	c.Close()
	select {
	case <-lost:
		t.Error("Close told of a disconnection")
	case <-time.After(50 * time.Millisecond):
	}
}

func wait(t *testing.T, signal <-chan struct{}) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(patience):
		t.Fatal("timed out")
	}
}

func TestLogins(t *testing.T) {
	folder := t.TempDir()
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := user.PublicKey()
	seed, _ := user.Seed()
	stranger, _ := nkeys.CreateUser()
	strangeSeed, _ := stranger.Seed()
	seedFile, strangeFile := filepath.Join(folder, "seed"), filepath.Join(folder, "strange")
	for file, content := range map[string][]byte{seedFile: seed, strangeFile: strangeSeed} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	byUser := testnats.Start(t, natsserver.Config{User: "u", Password: "p"}).URL()
	byToken := testnats.Start(t, natsserver.Config{Token: "t"}).URL()
	byKey := testnats.Start(t, natsserver.Config{Adjust: func(o *server.Options) {
		o.Nkeys = []*server.NkeyUser{{Nkey: public}}
	}}).URL()
	for name, c := range map[string]struct {
		config natsconn.Config
		ok     bool
	}{
		"user":           {natsconn.Config{Servers: byUser, User: "u", Password: "p"}, true},
		"wrong password": {natsconn.Config{Servers: byUser, User: "u", Password: "x"}, false},
		"no login":       {natsconn.Config{Servers: byUser}, false},
		"token":          {natsconn.Config{Servers: byToken, Token: "t"}, true},
		"wrong token":    {natsconn.Config{Servers: byToken, Token: "x"}, false},
		"nkey":           {natsconn.Config{Servers: byKey, NKeySeedFile: seedFile}, true},
		"wrong nkey":     {natsconn.Config{Servers: byKey, NKeySeedFile: strangeFile}, false},
	} {
		for _, waits := range []bool{false, true} {
			c.config.WaitForServer = waits // a refusal is not waited out
			connection, err := natsconn.Connect(c.config, natsconn.Handlers{})
			if c.ok {
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				connection.Close()
				continue
			}
			var typed *natsconn.Error
			if !errors.As(err, &typed) || !natsconn.IsAuthError(err) || !strings.Contains(typed.Hint, "login") {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

func TestMissingFiles(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for name, config := range map[string]natsconn.Config{
		"credentials": {CredentialsFile: missing},
		"nkey":        {NKeySeedFile: missing},
		"ca":          {CAFile: missing},
		"certificate": {CertFile: missing, KeyFile: missing},
	} {
		config.WaitForServer = true
		_, err := natsconn.Connect(config, natsconn.Handlers{})
		var typed *natsconn.Error
		if !errors.As(err, &typed) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTLS(t *testing.T) {
	folder := t.TempDir()
	certificate, caFile := selfSigned(t, folder)
	for _, first := range []bool{false, true} {
		s := testnats.Start(t, natsserver.Config{Adjust: func(o *server.Options) {
			o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
			o.TLSTimeout = 5
			o.TLSHandshakeFirst = first
		}})
		address := "tls://" + strings.TrimPrefix(s.URL(), "nats://")
		c := connect(t, natsconn.Config{Servers: address, CAFile: caFile, TLSFirst: first}, natsconn.Handlers{})
		roundTrip(t, c, connect(t, natsconn.Config{Servers: address, CAFile: caFile, TLSFirst: first}, natsconn.Handlers{}))
		_, err := natsconn.Connect(natsconn.Config{Servers: address, TLSFirst: first, WaitForServer: true}, natsconn.Handlers{})
		var typed *natsconn.Error
		if !errors.As(err, &typed) || !strings.Contains(typed.Hint, "CA file") {
			t.Errorf("unknown authority: %v", err)
		}
	}
}

func selfSigned(t *testing.T, folder string) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func TestConfigErrors(t *testing.T) {
	for name, config := range map[string]natsconn.Config{
		"two logins":       {User: "u", Token: "t"},
		"password alone":   {Password: "p"},
		"certificate only": {CertFile: "c"},
		"key only":         {KeyFile: "k"},
		"negative time":    {PingInterval: -1},
		"scheme":           {Servers: "http://localhost"},
		"no host":          {Servers: "nats://"},
		"second is bad":    {Servers: "nats://localhost, nats://a b:%zz"},
	} {
		if _, err := natsconn.Connect(config, natsconn.Handlers{}); !errors.Is(err, natsconn.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, servers := range []string{"", "localhost", "localhost:4222,tls://[::1]:4222", " nats://u:p@h , ws://h"} {
		if err := (natsconn.Config{Servers: servers}).Validate(); err != nil {
			t.Errorf("%q: %v", servers, err)
		}
	}
}

func TestDrain(t *testing.T) {
	s := testnats.Start(t, natsserver.Config{})
	c := connect(t, natsconn.Config{Servers: s.URL()}, natsconn.Handlers{})
	if err := c.Drain(); err != nil {
		t.Error(err)
	}
	wait(t, c.Closed())
	if err := c.Publish("x", nil); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("publish after drain: %v", err)
	}
	if err := c.Drain(); err != nil {
		t.Errorf("second drain: %v", err)
	}
}

func TestDrainIsBounded(t *testing.T) {
	s := testnats.Start(t, natsserver.Config{})
	c := connect(t, natsconn.Config{Servers: s.URL(), DrainTimeout: 100 * time.Millisecond}, natsconn.Handlers{})
	release, busy := make(chan struct{}), make(chan struct{})
	defer close(release)
	_, err := c.Subscribe("x", func(*nats.Msg) { close(busy); <-release })
	if err != nil {
		t.Fatal(err)
	}
	other := connect(t, natsconn.Config{Servers: s.URL()}, natsconn.Handlers{})
	if err := c.Flush(patience); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second stays pending
		if err := other.Publish("x", nil); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, busy)
	if err := c.Drain(); !errors.Is(err, natsconn.ErrDrainTimeout) {
		t.Errorf("drain: %v", err)
	}
}
