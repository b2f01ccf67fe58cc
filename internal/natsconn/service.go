package natsconn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// ErrNoAnswer says that nobody answered a request.
var ErrNoAnswer = errors.New("natsconn: nobody answered")

// Service adds a service, which nats micro then finds. Its endpoints end with the connection.
func (c *Connection) Service(config micro.Config) (micro.Service, error) {
	s, err := micro.AddService(c.nc, config)
	if err != nil {
		return nil, fmt.Errorf("natsconn: service %s: %w", config.Name, err)
	}
	return s, nil
}

// AskAll sends a request and returns every answer: those that come until first has passed, and after the first one until
// none has come for quiet. No answer is ErrNoAnswer, at once if nobody listens.
func (c *Connection) AskAll(ctx context.Context, subject string, request []byte, first, quiet time.Duration) ([]*nats.Msg, error) {
	inbox := c.nc.NewInbox()
	replies := make(chan *nats.Msg, answersMax)
	sub, err := c.nc.ChanSubscribe(inbox, replies)
	if err != nil {
		return nil, fmt.Errorf("natsconn: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }() // the inbox is nobody else's
	if err := c.nc.PublishRequest(subject, inbox, request); err != nil {
		return nil, fmt.Errorf("natsconn: %w", err)
	}
	var answers []*nats.Msg
	timer := time.NewTimer(first)
	defer timer.Stop()
	for {
		select {
		case m := <-replies:
			if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
				return nil, fmt.Errorf("%w on %s: nobody listens there", ErrNoAnswer, subject)
			}
			if answers = append(answers, m); len(answers) == answersMax {
				return answers, nil
			}
			timer.Reset(quiet)
		case <-timer.C:
			if len(answers) == 0 {
				return nil, fmt.Errorf("%w on %s within %v%s", ErrNoAnswer, subject, first, c.because())
			}
			return answers, nil
		case <-ctx.Done():
			return answers, context.Cause(ctx)
		}
	}
}

// because tells the server's last complaint, which is why a request without the right to it has no answer.
func (c *Connection) because() string {
	if text := c.lastError.Load(); text != nil {
		return ": " + *text
	}
	return ""
}

// answersMax bounds how many instances answer one request.
const answersMax = 1024
