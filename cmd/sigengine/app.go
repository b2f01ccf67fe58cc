package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/gpu"
)

// app is what commands share. One process, or one test, has one.
type app struct {
	in        io.Reader
	out, err  io.Writer
	lookupEnv func(string) (string, bool)
	log       *slog.Logger // to err; set before a command runs

	openDriver func() (*gpu.Driver, error) // nil: the installed one

	logFormat, logLevel string
}

// env returns an environment variable, empty if it is not set.
func (a *app) env(name string) string {
	text, _ := a.lookupEnv(name)
	return text
}

// execute runs the command line and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	a.log = slog.New(slog.DiscardHandler)
	root := newRoot(a)
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.finish(ctx, root.ExecuteContext(ctx))
}

// run makes a command's RunE: an error without an exit code of its own is a failure while running.
func run(do func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return asRuntimeFailure(do(c.Context(), args)) }
}
