package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/codec"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/live"
)

// recordOptions are the flags of record.
type recordOptions struct {
	server  serverFlags
	subject string
	codec   string
	venue   string
	dir     string
	length  time.Duration
	every   time.Duration
	asJSON  bool
}

func newRecord(a *app) *cobra.Command {
	var o recordOptions
	c := &cobra.Command{
		Use:   "record --subject SUBJECT -o DIR",
		Short: "Journal a feed without computing",
		Long: `record decodes a feed and writes every tick to a journal, for replay later. It publishes nothing. It stops like
run does.`,
		Example: `  sigengine record --subject 'md.>' --codec json -o recordings
  sigengine record --subject md.binance --codec binance-spot -o recordings --for 1h
  sigengine replay recordings -c engine.yaml`,
		Args: noArgs,
		RunE: run(func(ctx context.Context, _ []string) error { return a.record(ctx, o) }),
	}
	o.server.add(c)
	c.Flags().StringVar(&o.subject, "subject", "", "what to subscribe to; * and > are wildcards (required)")
	c.Flags().StringVar(&o.codec, "codec", codec.JSON, "how the messages are written: json, binary, binance-spot or binance-usdm")
	c.Flags().StringVar(&o.venue, "venue", "", "venue of messages that name none")
	c.Flags().StringVarP(&o.dir, "output", "o", "", "directory under which the journal is made (required)")
	c.Flags().DurationVar(&o.length, "for", 0, "stop after this long; 0 records until told to stop")
	c.Flags().DurationVar(&o.every, "status", 10*time.Second, "time between status lines in the log; 0 for none")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print a summary as one JSON object on stdout at the end")
	return c
}

func (a *app) record(ctx context.Context, o recordOptions) error {
	switch {
	case o.subject == "":
		return usagef("--subject is missing; name what to record, such as 'md.>'")
	case o.dir == "":
		return usagef("-o is missing; name the directory to record into")
	}
	if err := checkTimes(o.length, o.every); err != nil {
		return err
	}
	c := config.Default()
	f := config.DefaultFeed()
	f.Name, f.Subject, f.Codec, f.Venue = "record", o.subject, config.Codec(o.codec), o.venue
	c.Feeds = []config.Feed{f}
	c.Journal.Dir = o.dir
	if err := c.Validate(); err != nil {
		return asUsage(err)
	}
	connection, err := o.server.connection(a, c.NATS, "")
	if err != nil {
		return err
	}
	tune(a.log, c)
	l, err := live.Start(live.Options{
		Config: c, Connection: connection, Clock: feed.NewSystemClock(), Log: a.log, Build: buildLine(), Quiet: true, FreeBytes: freeBytes,
	})
	if err != nil {
		return asLiveFailure(err)
	}
	a.log.Info("recording", "subject", o.subject, "journal", l.Status().Journal)
	return a.untilStopped(ctx, l, ending{length: o.length, every: o.every, asJSON: o.asJSON})
}
