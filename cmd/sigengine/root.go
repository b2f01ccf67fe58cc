package main

import (
	"github.com/spf13/cobra"
)

const rootLong = `sigengine reads market data from NATS, computes trading signals that you write as short expressions,
and publishes what fires and passes its risk gates on NATS. Everything is recorded and can be replayed
to the same bits.

` + exitCodesHelp + `

Every flag can be given by the environment: --log-format is SIGENGINE_LOG_FORMAT. --server is also
NATS_URL. A flag wins over the environment, and that over the configuration file.`

const rootExample = `  sigengine demo                              a simulated market, the engine and a live view; needs nothing
  sigengine check -c engine.yaml              is this configuration right, and this machine ready?
  sigengine run -c engine.yaml                the engine against a NATS feed
  sigengine tail                              print signals as they come
  sigengine control status                    see, stop and resume a running engine
  sigengine play day.jsonl --codec binance-spot --subject md.binance
                                              publish a captured day as if it were live`

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:     "sigengine",
		Short:   "Low-latency trading signals on NATS, reproducible to the bit",
		Long:    rootLong,
		Example: rootExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; sigengine --help lists them", args[0])
			}
			return nil
		},
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := a.flagsFromEnvironment(c); err != nil {
				return err
			}
			return a.startLog()
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w; %s --help lists the flags", err, c.CommandPath())
	})
	root.PersistentFlags().StringVar(&a.logFormat, "log-format", "text", "format of the log on stderr: text or json")
	root.PersistentFlags().StringVar(&a.logLevel, "log-level", "info", "least level to log: debug, info, warn or error")
	root.AddCommand(
		newBench(a),
		newCheck(a),
		newControl(a),
		newDemo(a),
		newDiff(a),
		newEval(a),
		newExplain(a),
		newPlay(a),
		newRecord(a),
		newReplay(a),
		newRun(a),
		newSnapshot(a),
		newTail(a),
		newVerify(a),
		newVersion(a),
	)
	return root
}

// noArgs refuses arguments.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q; %s --help shows examples", c.CommandPath(), args[0], c.CommandPath())
	}
	return nil
}

// oneArg wants one argument, called what.
func oneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s takes one argument, %s, got %d; %s --help shows examples", c.CommandPath(), what, len(args), c.CommandPath())
		}
		return nil
	}
}
