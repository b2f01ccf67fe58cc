package natsconn

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrDrainTimeout says that a connection had not drained in time and was closed all the same.
var ErrDrainTimeout = errors.New("natsconn: not drained in time; closed")

// closeGrace is what Drain waits beyond the drain timeout for the library to finish.
const closeGrace = time.Second

// Handlers are told of a connection's events, one after the other, on a goroutine of the connection. They
// must return soon. Any may be nil. After Drain or Close was called, Disconnected is not.
type Handlers struct {
	Disconnected func(err error)
	Reconnected  func()
	SlowConsumer func(sub *nats.Subscription) // messages of sub were dropped because its queue was full
	Error        func(err error)              // any other asynchronous error
}

// Stats are a connection's counters at about one moment.
type Stats struct {
	Connected   bool
	Server      string // the one connected to, without password; empty if none
	Disconnects uint64
	Reconnects  uint64
	Errors      uint64 // asynchronous errors, slow consumers among them
	LastError   string // of them the last
	OutMessages uint64
	OutBytes    uint64
	InMessages  uint64
	InBytes     uint64
}

// Connection is a connection that mends itself until it is closed.
type Connection struct {
	nc       *nats.Conn
	config   Config
	handlers Handlers
	closed   chan struct{} // closed when the library is done
	once     sync.Once

	leaving     atomic.Bool
	disconnects atomic.Uint64
	reconnects  atomic.Uint64
	errors      atomic.Uint64
	lastError   atomic.Pointer[string]
}

// Connect connects. An error is ErrConfig or an *Error. If config.WaitForServer is set and no server answers, the
// connection comes back unconnected and keeps trying; Stats tells.
func Connect(config Config, handlers Handlers) (*Connection, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config.setDefaults()
	options, err := config.options()
	if err != nil {
		return nil, config.wrap("connect", err)
	}
	c := &Connection{config: config, handlers: handlers, closed: make(chan struct{})}
	options = append(
		options,
		nats.DisconnectErrHandler(c.onDisconnect),
		nats.ReconnectHandler(c.onReconnect),
		nats.ErrorHandler(c.onError),
		nats.ClosedHandler(func(*nats.Conn) { c.once.Do(func() { close(c.closed) }) }),
	)
	c.nc, err = nats.Connect(config.Servers, options...)
	if err != nil && config.WaitForServer && !isFinal(err) {
		c.nc, err = nats.Connect(config.Servers, append(options, nats.RetryOnFailedConnect(true))...)
	}
	if err != nil {
		return nil, config.wrap("connect", err)
	}
	return c, nil
}

func (c *Config) wrap(op string, err error) error {
	return &Error{Op: op, Servers: c.redacted(), Err: err, Hint: hint(err)}
}

func (c *Connection) onDisconnect(_ *nats.Conn, err error) {
	if c.leaving.Load() {
		return
	}
	c.disconnects.Add(1)
	if c.handlers.Disconnected != nil {
		c.handlers.Disconnected(err)
	}
}

func (c *Connection) onReconnect(*nats.Conn) {
	c.reconnects.Add(1)
	if c.handlers.Reconnected != nil {
		c.handlers.Reconnected()
	}
}

func (c *Connection) onError(_ *nats.Conn, sub *nats.Subscription, err error) {
	c.errors.Add(1)
	text := err.Error()
	c.lastError.Store(&text)
	if sub != nil && errors.Is(err, nats.ErrSlowConsumer) {
		if c.handlers.SlowConsumer != nil {
			c.handlers.SlowConsumer(sub)
		}
		return
	}
	if c.handlers.Error != nil {
		c.handlers.Error(err)
	}
}

// Publish hands one message to the library. It returns nil when the message is in the library's buffer or on its way;
// nothing says that it arrived. While there is no connection it fails at once. A write that does not finish within
// WriteTimeout fails, and the connection is made anew, so a caller waits for at most two of those.
// The library copies data before Publish returns.
func (c *Connection) Publish(subject string, data []byte) error {
	err := c.nc.Publish(subject, data)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.nc.ForceReconnect() // fails only when closed, and then there is nothing to force
	}
	return err
}

// Subscribe subscribes; deliver runs on a goroutine of the subscription's own.
func (c *Connection) Subscribe(subject string, deliver nats.MsgHandler) (*nats.Subscription, error) {
	return c.nc.Subscribe(subject, deliver)
}

// Listen calls heard at every message of a subject, whatever is in it, on a goroutine of the library's.
func (c *Connection) Listen(subject string, heard func()) error {
	_, err := c.nc.Subscribe(subject, func(*nats.Msg) { heard() })
	return err
}

// Answer replies to every request on a subject, one after the other, on a goroutine of the library's.
func (c *Connection) Answer(subject string, answer func(request []byte) []byte) error {
	_, err := c.nc.Subscribe(subject, func(m *nats.Msg) {
		if m.Reply != "" {
			_ = m.Respond(answer(m.Data)) // who asked will time out, and ask again
		}
	})
	return err
}

// Flush waits until the server has seen everything sent so far, or for timeout.
func (c *Connection) Flush(timeout time.Duration) error { return c.nc.FlushTimeout(timeout) }

// Connected reports whether there is a connection at this moment.
func (c *Connection) Connected() bool { return c.nc.IsConnected() }

// Closed is closed when the connection has ended for good: by Drain, by Close, or because the server refused the
// credentials twice.
func (c *Connection) Closed() <-chan struct{} { return c.closed }

// LastError returns the library's last error, nil if it had none.
func (c *Connection) LastError() error { return c.nc.LastError() }

// Drain stops the subscriptions, lets what they have received be handled, flushes what was published and closes. It
// takes little more than DrainTimeout at most, and then returns an *Error wrapping ErrDrainTimeout.
func (c *Connection) Drain() error {
	c.leaving.Store(true)
	if err := c.nc.Drain(); err != nil {
		c.nc.Close()
		if errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrConnectionClosed) {
			return nil // nothing could be drained
		}
		return c.config.wrap("drain", err)
	}
	timer := time.NewTimer(c.config.DrainTimeout + closeGrace)
	defer timer.Stop()
	select {
	case <-c.closed:
	case <-timer.C:
		c.nc.Close()
		return c.config.wrap("drain", ErrDrainTimeout)
	}
	if err := c.nc.LastError(); errors.Is(err, nats.ErrDrainTimeout) {
		return c.config.wrap("drain", ErrDrainTimeout)
	}
	return nil
}

// DrainTimeout is the configured bound, defaults applied.
func (c *Connection) DrainTimeout() time.Duration { return c.config.DrainTimeout }

// Close closes at once. What was received and not yet handled is dropped.
func (c *Connection) Close() {
	c.leaving.Store(true)
	c.nc.Close()
}

// Stats returns the counters.
func (c *Connection) Stats() Stats {
	inner := c.nc.Stats()
	s := Stats{
		Connected:   c.nc.IsConnected(),
		Server:      c.nc.ConnectedUrlRedacted(),
		Disconnects: c.disconnects.Load(),
		Reconnects:  c.reconnects.Load(),
		Errors:      c.errors.Load(),
		OutMessages: inner.OutMsgs,
		OutBytes:    inner.OutBytes,
		InMessages:  inner.InMsgs,
		InBytes:     inner.InBytes,
	}
	if text := c.lastError.Load(); text != nil {
		s.LastError = *text
	}
	return s
}
