package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/explain"
	"github.com/sigengine/sigengine/replay/journal"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	config     string
	at         uint64
	atGiven    bool
	instrument string
	listing    bool
	asJSON     bool
}

func newExplain(a *app) *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use:   "explain [-c FILE | JOURNAL --at SEQ] [SIGNAL...]",
		Short: "How signals are computed, and why a tick led to what it led to",
		Long: `explain -c FILE shows how the signals of a configuration are computed: the graph of each, with what is
shared; what every operator is and where it comes from; which ticks evaluate the signal; how long it takes
until it has a value, measured on a made-up market; what it costs. --listing adds the program.

explain JOURNAL --at SEQ replays a journal up to one tick and shows why it led to what it led to: every
node's value, whether the tick updated it, and what an undefined one waits for; then what each gate looked
at and said, and what was decided. SEQ is the sequence in every published signal (seq). The journal's
own configuration is used unless -c gives another.`,
		Example: `  sigengine explain -c engine.yaml
  sigengine explain -c engine.yaml reversion --json
  sigengine explain journals/20260101T093000.000Z --at 48211
  sigengine explain journals --at 48211 reversion --instrument binance.BTCUSDT`,
		Args: cobra.ArbitraryArgs,
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		o.atGiven = c.Flags().Changed("at")
		return asRuntimeFailure(a.explain(c.Context(), args, &o))
	}
	c.Flags().StringVarP(&o.config, "config", "c", "", "the configuration")
	c.Flags().Uint64Var(&o.at, "at", 0, "sequence of the tick to explain")
	c.Flags().StringVar(&o.instrument, "instrument", "", "venue.symbol; explain the tick on this instrument instead of its own")
	c.Flags().BoolVar(&o.listing, "listing", false, "print the program's instructions too")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	return c
}

func (a *app) explain(ctx context.Context, args []string, o *explainOptions) error {
	var c *config.Config
	if o.config != "" {
		var err error
		if c, err = config.Load(o.config); err != nil {
			return asUsage(err)
		}
	}
	if o.atGiven {
		return a.explainTick(ctx, args, o, c)
	}
	switch {
	case c == nil && len(args) > 0:
		return usagef("say which tick of the journal with --at SEQ, or give a configuration with -c FILE")
	case c == nil:
		return usagef("explain needs a configuration (-c FILE) or a journal and a tick (JOURNAL --at SEQ); sigengine explain --help shows examples")
	case o.instrument != "":
		return usagef("--instrument is for a tick of a journal; it goes with --at")
	case len(c.Signals) == 0:
		return usagef("%s has no signals", o.config)
	}
	report, err := explain.Static(c, args, o.listing)
	if err != nil {
		return asUnknown(err)
	}
	if o.asJSON {
		return a.printJSON(report)
	}
	_, err = fmt.Fprint(a.out, report)
	return err
}

func (a *app) explainTick(ctx context.Context, args []string, o *explainOptions, c *config.Config) error {
	switch {
	case len(args) == 0:
		return usagef("--at is a tick of a journal; name the journal's directory")
	case o.listing:
		return usagef("--listing is for a configuration (explain -c FILE); it does not go with --at")
	}
	store, _, err := openJournal(args[0])
	if err != nil {
		return err
	}
	answer, err := explain.At(store, explain.Question{
		Seq: o.at, Signals: args[1:], Instrument: o.instrument, Config: c,
		Cancelled: func() error {
			if ctx.Err() != nil {
				return errInterrupted
			}
			return nil
		},
	})
	if err != nil {
		return asUnknown(err)
	}
	if o.asJSON {
		return a.printJSON(answer)
	}
	_, err = fmt.Fprint(a.out, answer)
	return err
}

// asUnknown gives a question about what is not there the code of wrong usage.
func asUnknown(err error) error {
	var unknown *explain.UnknownError
	if errors.As(err, &unknown) || errors.Is(err, explain.ErrTick) || errors.Is(err, journal.ErrEmpty) {
		return asUsage(err)
	}
	return asReplayFailure(err)
}
