package natsconn

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// streamTimeout bounds what a server may take to make a stream.
const streamTimeout = 5 * time.Second

// KeepLast makes sure that a stream keeps the last message of every subject that matches, for consumers that come late. A
// stream of that name that is there is changed to do so. It needs a connection, and JetStream.
func (c *Connection) KeepLast(stream, subjects string) error {
	js, err := jetstream.New(c.nc)
	if err != nil {
		return fmt.Errorf("natsconn: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), streamTimeout)
	defer cancel()
	if _, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: stream, Subjects: []string{subjects}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardOld, AllowDirect: true,
		Description: "the last signal of every subject, for consumers that come late",
	}); err != nil {
		return fmt.Errorf("natsconn: stream %s for %s: %w; is JetStream enabled, and may this user make streams?", stream, subjects, err)
	}
	return nil
}
