package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay"
)

func newDiff(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "Show the first difference between two journals or outputs",
		Long: `diff compares two journals, two outputs of replay -o, or one of each. Of two journals the ticks are compared too.
A journal is the directory of one run, or the directory given to --journal if it holds one run only.
Configuration generation and output sequence are ignored: they tell who decided, not what. It exits with 1 if
there is a difference.`,
		Example: `  sigengine diff before.jsonl after.jsonl
  sigengine diff journals/20260101T093000.000Z after.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("diff takes two arguments, A and B, got %d; sigengine diff --help shows examples", len(args))
			}
			return nil
		},
		RunE: run(func(_ context.Context, args []string) error { return a.diff(args[0], args[1]) }),
	}
}

func (a *app) diff(pathA, pathB string) error {
	accountA, err := accountOf(pathA)
	if err != nil {
		return err
	}
	accountB, err := accountOf(pathB)
	if err != nil {
		return err
	}
	c, err := replay.Diff(accountA, accountB)
	if err != nil {
		return err
	}
	if c.TickAt != 0 {
		fmt.Fprintf(a.out, "tick %d:\n  a: %s\n  b: %s\n", c.TickAt, describeTick(c.TickA), describeTick(c.TickB))
	}
	if c.Difference != nil {
		fmt.Fprintln(a.out, c.Difference.String())
	}
	if !c.Same() {
		return differencef("%s and %s differ", pathA, pathB)
	}
	fmt.Fprintf(a.out, "same: %d ticks, %d signals compared\n", c.Ticks, c.Signals)
	return nil
}

// accountOf returns what is compared: a file as it is, of a directory the only run.
func accountOf(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil // Diff says what is wrong with it
	}
	_, dir, err := openJournal(path)
	return dir, err
}

func describeTick(t *feed.Tick) string {
	if t == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s of instrument %d, source %d, exchange %d, receive %d, flags %d, values %v",
		t.Kind, t.Instrument, t.Source, t.ExchangeNs, t.ReceiveNs, t.Flags, t.F)
}
