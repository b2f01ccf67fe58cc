package natsfeed

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/natsconn"
)

// lookEvery is how often the watcher looks for dropped messages, beside being told by the library.
const lookEvery = 100 * time.Millisecond

// ErrBlocked says that a source's callback was still waiting for room in its ring: its engine neither polls nor has
// abandoned the inlet.
var ErrBlocked = errors.New("natsfeed: a source is still waiting for the engine")

// Client is the market-data connection and its sources.
type Client struct {
	connection *natsconn.Connection
	stop       chan struct{}
	watcher    sync.WaitGroup
	stopOnce   sync.Once

	mutex   sync.Mutex
	sources []*Source
}

// Connect connects. Errors are those of natsconn.Connect.
func Connect(config natsconn.Config) (*Client, error) {
	c := &Client{stop: make(chan struct{})}
	connection, err := natsconn.Connect(config, natsconn.Handlers{
		Disconnected: func(error) { c.lost(feed.GapDisconnect) },
		Reconnected:  func() { c.lost(feed.GapDisconnect) },
		SlowConsumer: func(*nats.Subscription) { c.look() },
	})
	if err != nil {
		return nil, err
	}
	c.connection = connection
	c.watcher.Go(c.watch)
	return c, nil
}

// Subscribe starts a source. The server has the subscription when it returns, if there is a connection. Errors wrap
// ErrSubject or ErrConfig, or are the library's.
func (c *Client) Subscribe(config SourceConfig) (*Source, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	s := newSource(config)
	if err := c.begin(s, config); err != nil {
		return nil, fmt.Errorf("natsfeed: subscribe %q: %w", config.Subject, err)
	}
	if c.connection.Connected() {
		if err := c.connection.Flush(natsconn.DefaultConnectTimeout); err != nil && c.connection.Connected() {
			return nil, fmt.Errorf("natsfeed: subscribe %q: the server did not confirm: %w", config.Subject, err)
		}
	}
	return s, nil
}

// begin subscribes s and adds it to the sources. Its losses wait for the mutex until the subscription is known.
func (c *Client) begin(s *Source, config SourceConfig) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	c.mutex.Lock()
	c.sources = append(c.sources, s)
	c.mutex.Unlock()
	subscription, err := c.connection.Subscribe(config.Subject, s.receive)
	if err != nil {
		s.ended("")
		return err
	}
	subscription.SetClosedHandler(s.ended)
	s.subscription = subscription
	return subscription.SetPendingLimits(config.PendingMessages, config.PendingBytes)
}

// all returns the sources so far. They are only ever added.
func (c *Client) all() []*Source {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.sources
}

func (c *Client) lost(reason feed.GapReason) {
	for _, s := range c.all() {
		s.lost(reason, 0)
	}
}

func (c *Client) look() {
	for _, s := range c.all() {
		s.look()
	}
}

func (c *Client) watch() {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.look()
		case <-c.stop:
			return
		}
	}
}

// Connection returns the connection's counters.
func (c *Client) Connection() natsconn.Stats { return c.connection.Stats() }

// Closed is closed when the connection has ended for good; without Drain or Close, that is because the server refuses
// the credentials, and LastError says so.
func (c *Client) Closed() <-chan struct{} { return c.connection.Closed() }

// LastError returns the connection's last error.
func (c *Client) LastError() error { return c.connection.LastError() }

// Drain unsubscribes, lets the sources handle what they have received, closes their inlets and the connection. It is
// bounded by twice the configured drain timeout and a little; beyond, it returns an error and what was pending is lost.
func (c *Client) Drain() error {
	err := c.connection.Drain()
	return errors.Join(err, c.finish())
}

// Close closes at once; what is pending is lost. Inlets are closed when callbacks return. It returns ErrBlocked if one
// has not within the configured drain timeout.
func (c *Client) Close() error {
	c.connection.Close()
	return c.finish()
}

// finish stops the watcher and waits for the callbacks.
func (c *Client) finish() error {
	c.stopOnce.Do(func() { close(c.stop) })
	c.watcher.Wait()
	timer := time.NewTimer(c.connection.DrainTimeout())
	defer timer.Stop()
	for _, s := range c.all() {
		select {
		case <-s.Done():
		case <-timer.C:
			return fmt.Errorf("%w: %q", ErrBlocked, s.subject)
		}
	}
	return nil
}
