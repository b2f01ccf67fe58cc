package main

import (
	"errors"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/spf13/cobra"
)

// serverFlags say how to reach NATS. They win over the environment, and that over a configuration.
type serverFlags struct {
	server, creds, nkey, ca string
}

func (s *serverFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&s.server, "server", "", "NATS server URLs, separated by commas (also NATS_URL; default "+natsconn.DefaultServer+")")
	c.Flags().StringVar(&s.creds, "creds", "", "NATS credentials file")
	c.Flags().StringVar(&s.nkey, "nkey", "", "NATS nkey seed file")
	c.Flags().StringVar(&s.ca, "tls-ca", "", "file of root certificates to trust instead of the system's")
}

// connection merges the flags with the environment and a configuration's section; role is shown by the server's monitoring.
func (s *serverFlags) connection(a *app, n config.NATS, role string) (natsconn.Config, error) {
	c := natsconn.Config{
		Servers: n.URL, Name: "sigengine " + role, CredentialsFile: n.CredsFile, NKeySeedFile: n.NKeyFile,
		User: n.User, CAFile: n.TLS.CAFile, CertFile: n.TLS.CertFile, KeyFile: n.TLS.KeyFile,
	}
	if url := a.env("NATS_URL"); url != "" {
		c.Servers = url
	}
	if s.server != "" {
		c.Servers = s.server
	}
	if s.creds != "" || s.nkey != "" {
		c.CredentialsFile, c.NKeySeedFile, c.User = s.creds, s.nkey, ""
	}
	if s.ca != "" {
		c.CAFile = s.ca
	}
	if c.User != "" {
		if c.Password = a.env(n.PasswordEnv); c.Password == "" {
			return c, usagef("the environment variable %s, which nats.password_env names, is not set; set it to the password of %s", n.PasswordEnv, n.User)
		}
	}
	if err := c.Validate(); err != nil {
		return c, asUsage(err)
	}
	return c, nil
}

// connect connects for a tool: it fails if no server answers. Trouble later is logged; the connection mends itself.
func (a *app) connect(c natsconn.Config) (*natsconn.Connection, error) {
	return natsconn.Connect(c, natsconn.Handlers{
		Disconnected: func(err error) {
			a.log.Warn("connection lost; trying again", "error", err)
		},
		Reconnected: func() { a.log.Warn("connected again; what was sent in between is lost") },
		SlowConsumer: func(sub *nats.Subscription) {
			dropped, _ := sub.Dropped()
			a.log.Warn("too slow: messages were dropped", "dropped", dropped)
		},
		Error: func(err error) { a.log.Warn("server", "error", err) },
	})
}

// connectOrUsage is connect, where what is wrong with our own files is wrong usage.
func (a *app) connectOrUsage(c natsconn.Config) (*natsconn.Connection, error) {
	connection, err := a.connect(c)
	var file *os.PathError
	if err != nil && (errors.As(err, &file) || errors.Is(err, natsconn.ErrConfig)) {
		return nil, asUsage(err)
	}
	return connection, err
}

// flushTimeout bounds the wait for the server to take what was sent.
const flushTimeout = 5 * time.Second
