package natsconn

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Defaults, used where a Config says zero.
const (
	DefaultServer         = "nats://127.0.0.1:4222"
	DefaultConnectTimeout = 2 * time.Second
	DefaultPingInterval   = time.Second
	DefaultWriteTimeout   = 250 * time.Millisecond
	DefaultDrainTimeout   = 2 * time.Second
)

const (
	pingsOutstanding   = 2
	reconnectWait      = 25 * time.Millisecond
	reconnectJitter    = 10 * time.Millisecond
	reconnectJitterTLS = 50 * time.Millisecond
)

// ErrConfig is wrapped by errors about a Config.
var ErrConfig = errors.New("natsconn: bad configuration")

// Config says where to connect, as whom and how patiently. At most one of the ways to log in may be given.
type Config struct {
	Servers string // URLs separated by commas; empty: DefaultServer
	Name    string // shown by the server's monitoring, such as "sigengine/host/market data"

	CredentialsFile string // a .creds file
	NKeySeedFile    string
	User, Password  string
	Token           string

	CAFile            string // trusts this authority instead of the system's
	CertFile, KeyFile string // client certificate
	TLSFirst          bool   // TLS handshake before the server says anything

	// WaitForServer lets Connect succeed while no server can be reached, and goes on trying. A server that
	// refuses the credentials is an error all the same.
	WaitForServer bool

	ConnectTimeout time.Duration
	PingInterval   time.Duration
	WriteTimeout   time.Duration
	DrainTimeout   time.Duration

	InProcess nats.InProcessConnProvider // an embedded server; then Servers does not count
}

func (c *Config) setDefaults() {
	if strings.TrimSpace(c.Servers) == "" {
		c.Servers = DefaultServer
	}
	for _, d := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&c.ConnectTimeout, DefaultConnectTimeout},
		{&c.PingInterval, DefaultPingInterval},
		{&c.WriteTimeout, DefaultWriteTimeout},
		{&c.DrainTimeout, DefaultDrainTimeout},
	} {
		if *d.value == 0 {
			*d.value = d.fallback
		}
	}
}

// Validate says what is wrong with c, or returns nil. It reads no file. The error wraps ErrConfig.
func (c Config) Validate() error {
	logins := 0
	for _, given := range []bool{c.CredentialsFile != "", c.NKeySeedFile != "", c.User != "", c.Token != ""} {
		if given {
			logins++
		}
	}
	if logins > 1 {
		return fmt.Errorf("%w: give one of credentials file, nkey seed file, user and token", ErrConfig)
	}
	if c.Password != "" && c.User == "" {
		return fmt.Errorf("%w: a password without a user", ErrConfig)
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		return fmt.Errorf("%w: a client certificate needs both its file and its key's", ErrConfig)
	}
	for _, d := range []time.Duration{c.ConnectTimeout, c.PingInterval, c.WriteTimeout, c.DrainTimeout} {
		if d < 0 {
			return fmt.Errorf("%w: negative time %v", ErrConfig, d)
		}
	}
	return checkServers(c.Servers)
}

func checkServers(servers string) error {
	if strings.TrimSpace(servers) == "" {
		return nil
	}
	for server := range strings.SplitSeq(servers, ",") {
		server = strings.TrimSpace(server)
		if !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		u, err := url.Parse(server)
		if err != nil {
			return fmt.Errorf("%w: a server address cannot be read; write nats://host:4222", ErrConfig) // err would show a password
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return fmt.Errorf("%w: server address %s; begin with nats://, tls://, ws:// or wss://", ErrConfig, u.Redacted())
		}
		if u.Hostname() == "" {
			return fmt.Errorf("%w: server address %s names no host", ErrConfig, u.Redacted())
		}
	}
	return nil
}

// redacted returns the servers without passwords.
func (c *Config) redacted() string {
	if c.InProcess != nil {
		return "the embedded server"
	}
	var out []string
	for server := range strings.SplitSeq(c.Servers, ",") {
		server = strings.TrimSpace(server)
		if u, err := url.Parse(server); err == nil && u.User != nil {
			server = u.Redacted()
		}
		out = append(out, server)
	}
	return strings.Join(out, ", ")
}

// options turns c, with defaults set, into the library's options. Files that cannot be read are errors.
func (c *Config) options() ([]nats.Option, error) {
	options := []nats.Option{
		nats.Name(c.Name),
		nats.Timeout(c.ConnectTimeout),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectJitter, reconnectJitterTLS),
		nats.ReconnectBufSize(-1),
		nats.PingInterval(c.PingInterval),
		nats.MaxPingsOutstanding(pingsOutstanding),
		nats.FlusherTimeout(c.WriteTimeout),
		nats.ReconnectOnFlusherError(),
		nats.DrainTimeout(c.DrainTimeout),
		nats.NoEcho(),
	}
	for _, file := range []string{c.CredentialsFile, c.NKeySeedFile, c.CAFile, c.CertFile, c.KeyFile} {
		if file == "" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return nil, err
		}
	}
	switch {
	case c.CredentialsFile != "":
		options = append(options, nats.UserCredentials(c.CredentialsFile))
	case c.NKeySeedFile != "":
		nkey, err := nats.NkeyOptionFromSeed(c.NKeySeedFile)
		if err != nil {
			return nil, err
		}
		options = append(options, nkey)
	case c.User != "":
		options = append(options, nats.UserInfo(c.User, c.Password))
	case c.Token != "":
		options = append(options, nats.Token(c.Token))
	}
	if c.CAFile != "" {
		options = append(options, nats.RootCAs(c.CAFile))
	}
	if c.CertFile != "" {
		options = append(options, nats.ClientCert(c.CertFile, c.KeyFile))
	}
	if c.TLSFirst {
		options = append(options, nats.TLSHandshakeFirst())
	}
	if c.InProcess != nil {
		options = append(options, nats.InProcessServer(c.InProcess))
	}
	return options, nil
}
