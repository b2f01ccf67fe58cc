package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/venue"
)

// flushEvery is after how many messages play waits for the server at full speed, so that it cannot run ahead of it.
const flushEvery = 4096

// countingReader counts what was read.
type countingReader struct {
	io.Reader
	bytes atomic.Int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.bytes.Add(int64(n))
	return n, err
}

// messages publishes all of a capture.
func (p *player) messages(ctx context.Context, input io.Reader) error {
	counted := &countingReader{Reader: input}
	capture := venue.NewCaptureReader(counted)
	for {
		receiveNs, message, err := capture.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w; a line is a receive time in nanoseconds, a space and the message", err)
		}
		if err := p.pace.wait(ctx, receiveNs, time.Now); err != nil {
			return errInterrupted
		}
		p.count(receiveNs, message)
		if p.retimer != nil {
			message = p.retimer.move(message, p.pace.shift)
		}
		if err := p.publish(ctx, message); err != nil {
			return fmt.Errorf("line %d: %w", capture.Line(), err)
		}
		p.progress.step(len(message), counted.bytes.Load(), time.Now())
	}
}

// publish sends a message. While the server is away it waits: nothing is left out but what was on its way when it went.
func (p *player) publish(ctx context.Context, message []byte) error {
	for {
		err := p.connection.Publish(p.subject, message)
		if err == nil {
			break
		}
		if p.connection.Connected() {
			return fmt.Errorf("publishing failed: %w; what was sent before stays sent", err)
		}
		if err := p.awaitServer(ctx); err != nil {
			return err
		}
	}
	if p.progress.messages%flushEvery != flushEvery-1 {
		return nil
	}
	err := p.connection.Flush(flushTimeout)
	if err != nil && p.connection.Connected() {
		return fmt.Errorf("the server does not keep up: %w; look at its log", err)
	}
	if err != nil {
		return p.awaitServer(ctx)
	}
	return nil
}

// serverAwayLook is how often play looks for a server that has gone.
const serverAwayLook = 25 * time.Millisecond

// awaitServer waits until there is a connection again.
func (p *player) awaitServer(ctx context.Context) error {
	most := time.NewTimer(p.wait)
	defer most.Stop()
	look := time.NewTicker(serverAwayLook)
	defer look.Stop()
	for !p.connection.Connected() {
		select {
		case <-ctx.Done():
			return errInterrupted
		case <-p.connection.Closed():
			return fmt.Errorf("the server ended the connection for good: %w; check the credentials and their rights", p.connection.LastError())
		case <-most.C:
			return fmt.Errorf("the server has been away for %s; %d messages were sent, and the last of them may be lost", p.wait, p.progress.messages)
		case <-look.C:
		}
	}
	return nil
}

// count decodes a message, for the summary only.
func (p *player) count(receiveNs int64, message []byte) {
	p.batch.N = 0
	for more := p.decoder.Decode(message, receiveNs, &p.batch); more; more = p.decoder.More(&p.batch) {
		p.batch.N = 0
	}
}

// playSummary is what play --json prints.
type playSummary struct {
	Messages uint64            `json:"messages"`
	Bytes    uint64            `json:"bytes"`
	Ticks    uint64            `json:"ticks"`
	Decoded  uint64            `json:"decoded"`
	Ignored  map[string]uint64 `json:"ignored"`
	Rejected map[string]uint64 `json:"rejected"`
	ElapsedS float64           `json:"elapsed_s"`
}

func (p *player) summary(asJSON bool) error {
	counts := p.decoder.Stats().Counts()
	elapsed := p.progress.elapsed(time.Now())
	if !asJSON {
		p.app.log.Info("played", "messages", p.progress.messages, "bytes", p.progress.bytes, "seconds", round(elapsed.Seconds(), 3),
			"ticks", counts.Ticks, "decoded", counts.Decoded, "ignored", counts.IgnoredTotal(), "rejected", counts.RejectedTotal())
		return nil
	}
	s := playSummary{
		Messages: p.progress.messages, Bytes: p.progress.bytes, Ticks: counts.Ticks, Decoded: counts.Decoded,
		Ignored: map[string]uint64{}, Rejected: map[string]uint64{}, ElapsedS: round(elapsed.Seconds(), 6),
	}
	for kind, n := range counts.Ignored {
		if n > 0 {
			s.Ignored[feed.Ignored(kind).String()] = n
		}
	}
	for reason, n := range counts.Rejected {
		if n > 0 {
			s.Rejected[feed.Reject(reason).String()] = n
		}
	}
	return p.app.printJSON(s)
}
