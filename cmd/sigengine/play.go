package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/spf13/cobra"
)

// playOptions are the flags of play.
type playOptions struct {
	server  serverFlags
	config  string
	codec   string
	subject string
	speed   string
	wait    time.Duration
	retime  bool
	asJSON  bool
}

func newPlay(a *app) *cobra.Command {
	var o playOptions
	c := &cobra.Command{
		Use:   "play FILE",
		Short: "Publish a capture on NATS as a feed",
		Long: `play publishes the messages of a capture, paced by the times at which they were received, as if they
came from the venue now. A capture is a text file, one message a line: the receive time in Unix
nanoseconds, a space, and the message as the venue sent it. FILE - is standard input.

Messages go out byte for byte. With --retime the venue's own times in them are moved to the time of
playing, at the speed of playing, for consumers that compare them with a clock.

A server that goes away is waited for (--wait), and then play goes on where it was; what was on its way when it
went is lost.

--codec is how the messages are written; play decodes them too, and says at the end what it made of
them. Codecs: ` + strings.Join(textCodecs(), ", ") + `.`,
		Example: `  sigengine play day.jsonl --codec binance-spot --subject md.binance
  sigengine play day.jsonl --codec binance-usdm --subject md.usdm --speed max
  sigengine play day.jsonl --codec json --subject md.sim --speed 10 --retime --json`,
		Args: oneArg("FILE"),
		RunE: run(func(ctx context.Context, args []string) error { return a.play(ctx, args[0], o) }),
	}
	o.server.add(c)
	c.Flags().StringVarP(&o.config, "config", "c", "", "take the nats section of this configuration")
	c.Flags().StringVar(&o.codec, "codec", "", "how the messages are written (required)")
	c.Flags().StringVar(&o.subject, "subject", "", "where to publish (required)")
	c.Flags().StringVar(&o.speed, "speed", "1", "1 is as recorded, 10 ten times as quick, max as quick as it goes")
	c.Flags().DurationVar(&o.wait, "wait", 30*time.Second, "how long to wait for a server that has gone; 0 fails at once")
	c.Flags().BoolVar(&o.retime, "retime", false, "move the venue's times in the messages to now")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print a summary as one JSON object on stdout")
	return c
}

// textCodecs are the codecs whose messages fit on a line.
func textCodecs() []string {
	var names []string
	for _, name := range codec.Names() {
		if name != codec.Binary {
			names = append(names, name)
		}
	}
	return names
}

// symbolsMax bounds the table that play's own decoder keeps.
const symbolsMax = 1 << 16

// player is one run of play, its options checked.
type player struct {
	app        *app
	subject    string
	wait       time.Duration // for a server that has gone
	pace       pace
	retimer    *retimer // nil: messages go out as they are
	decoder    feed.Decoder
	batch      feed.Batch
	connection *natsconn.Connection
	progress   progress
}

func (a *app) play(ctx context.Context, file string, o playOptions) error {
	p, err := a.newPlayer(o)
	if err != nil {
		return err
	}
	input, size, err := a.openCapture(file)
	if err != nil {
		return err
	}
	defer input.Close()
	section, err := natsSection(o.config)
	if err != nil {
		return err
	}
	server, err := o.server.connection(a, section, "play")
	if err != nil {
		return err
	}
	if p.connection, err = a.connectOrUsage(server); err != nil {
		return err
	}
	defer p.connection.Close()
	p.progress = newProgress(a.err, size)
	err = p.messages(ctx, input)
	p.progress.end()
	if err == nil || errors.Is(err, errInterrupted) {
		if flushErr := p.connection.Flush(flushTimeout); flushErr != nil && err == nil {
			err = fmt.Errorf("the server did not confirm the last messages: %w; they may be lost", flushErr)
		}
	}
	if printErr := p.summary(o.asJSON); err == nil {
		err = printErr
	}
	return err
}

func (a *app) newPlayer(o playOptions) (*player, error) {
	switch {
	case o.codec == "":
		return nil, usagef("--codec is missing; one of %s", strings.Join(textCodecs(), ", "))
	case o.codec == codec.Binary:
		return nil, usagef("a capture has text messages; --codec is one of %s", strings.Join(textCodecs(), ", "))
	case o.subject == "":
		return nil, usagef("--subject is missing; name the subject to publish on, such as md.binance")
	case strings.ContainsAny(o.subject, " \t*>") || strings.HasPrefix("."+o.subject+".", "..") || strings.Contains("."+o.subject+".", ".."):
		return nil, usagef("--subject %q cannot be published on; want names joined by dots, without blanks and wildcards", o.subject)
	}
	decoder, err := codec.New(o.codec, feed.DecoderOptions{Symbols: feed.NewSymbols(symbolsMax), Venue: "default"})
	if err != nil {
		return nil, usagef("--codec: %w", err)
	}
	if o.wait < 0 {
		return nil, usagef("--wait is %s; want a time of 0 or more, such as 30s", o.wait)
	}
	speed, err := parseSpeed(o.speed)
	if err != nil {
		return nil, err
	}
	p := &player{app: a, subject: o.subject, wait: o.wait, pace: pace{speed: speed}, decoder: decoder}
	p.batch.Ticks = make([]feed.Tick, 64)
	if o.retime {
		p.retimer = newRetimer(o.codec)
	}
	return p, nil
}

// openCapture opens the file and returns its size, 0 if it has none.
func (a *app) openCapture(file string) (io.ReadCloser, int64, error) {
	if file == "-" {
		return io.NopCloser(a.in), 0, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, usagef("%w; name a capture, or - for standard input", err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		f.Close()
		return nil, 0, usagef("%s: %w; name a capture, or - for standard input", file, err)
	}
	if !info.Mode().IsRegular() {
		return f, 0, nil
	}
	return f, info.Size(), nil
}
