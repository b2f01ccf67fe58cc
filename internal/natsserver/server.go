package natsserver

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// WriteDeadline is how long a client may not read before it is cut off.
const WriteDeadline = 2 * time.Second

// readyTimeout bounds how long Start waits for the server to accept connections.
const readyTimeout = 10 * time.Second

// ErrStart is wrapped by every error of Start.
var ErrStart = errors.New("natsserver: cannot start")

// Config describes the server. The zero value listens on a free port of the loopback interface, for anyone.
type Config struct {
	Host     string // empty: 127.0.0.1
	Port     int    // 0: any free one
	User     string // empty: no user and password asked for
	Password string
	Token    string                // empty: no token asked for
	Adjust   func(*server.Options) // last word on the options, may be nil
}

// Server is a running server.
type Server struct {
	inner *server.Server
	host  string
	port  int
}

// Start starts a server and returns when it accepts connections. Errors wrap ErrStart.
func Start(config Config) (*Server, error) {
	options := &server.Options{
		ServerName:          "sigengine",
		Host:                config.Host,
		Port:                config.Port,
		Username:            config.User,
		Password:            config.Password,
		Authorization:       config.Token,
		NoSigs:              true,
		NoLog:               true,
		NoFastProducerStall: true,
		WriteDeadline:       WriteDeadline,
	}
	if options.Host == "" {
		options.Host = "127.0.0.1"
	}
	if options.Port == 0 {
		options.Port = server.RANDOM_PORT
	}
	if config.Adjust != nil {
		config.Adjust(options)
	}
	if options.Port > 0 { // the server would log the failure and hang on; find out first
		listener, err := net.Listen("tcp", net.JoinHostPort(options.Host, strconv.Itoa(options.Port)))
		if err != nil {
			return nil, fmt.Errorf("%w: port %d is taken or may not be used: %w", ErrStart, options.Port, err)
		}
		_ = listener.Close() // it served its purpose
	}
	inner, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	inner.Start()
	if !inner.ReadyForConnections(readyTimeout) {
		inner.Shutdown()
		return nil, fmt.Errorf("%w: not ready after %v", ErrStart, readyTimeout)
	}
	s := &Server{inner: inner, host: options.Host}
	if address, ok := inner.Addr().(*net.TCPAddr); ok {
		s.port = address.Port
	}
	return s, nil
}

// URL is where clients connect.
func (s *Server) URL() string { return "nats://" + net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// Port is the TCP port.
func (s *Server) Port() int { return s.port }

// InProcessConn returns a connection that does not go through TCP. It is what nats.InProcessServer wants.
func (s *Server) InProcessConn() (net.Conn, error) { return s.inner.InProcessConn() }

// Clients returns how many clients are connected.
func (s *Server) Clients() int { return s.inner.NumClients() }

// SlowConsumers returns how many clients were cut off because they did not read.
func (s *Server) SlowConsumers() int64 { return s.inner.NumSlowConsumers() }

// Close stops the server and waits until it has stopped.
func (s *Server) Close() {
	s.inner.Shutdown()
	s.inner.WaitForShutdown()
}
