package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/natsconn"
	"github.com/spf13/cobra"
)

// checkOptions are the flags of check.
type checkOptions struct {
	server  serverFlags
	shape   shapeFlags
	config  string
	journal string
	asJSON  bool
}

func newCheck(a *app) *cobra.Command {
	var o checkOptions
	c := &cobra.Command{
		Use:   "check",
		Short: "Say what is ready, what is not, and what to do about it",
		Long: `check reads a configuration and reports every mistake with file, line, column and a caret. If there
is none it looks at what the configuration needs: the NATS server, processors, memory, a GPU, the
journal's folder. It changes nothing that lasts. Without a configuration it checks the defaults.

Where there is a GPU it compiles the program for it, takes the memory, starts and ends the kernels, and says what the
program costs there.

With --journal it needs no server: it runs a journal through the engine and says what every risk gate
refuses, of which signal, how often, and the first and the last of it; with -c under that configuration,
else under the journal's own. "refuses" counts whether or not another gate refuses first, "reason" where it
is the first.`,
		Example: `  sigengine check -c engine.yaml
  sigengine check -c engine.yaml --server nats://10.0.0.5:4222
  sigengine check -c engine.yaml --executor gpu --lanes 8
  sigengine check --journal journal/20260807T093000.000Z -c new.yaml
  sigengine check --json`,
		Args: noArgs,
		RunE: run(func(ctx context.Context, _ []string) error { return a.check(ctx, o) }),
	}
	o.server.add(c)
	o.shape.addSize(c)
	c.Flags().StringVarP(&o.config, "config", "c", "", "the configuration")
	c.Flags().StringVar(&o.journal, "journal", "", "a journal to run every risk gate over")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	return c
}

// The states of a finding.
const (
	stateOK   = "ok"
	stateNote = "note" // works, and worth knowing
	stateFail = "fail"
)

// finding is what check says about one thing.
type finding struct {
	What  string `json:"what"`
	State string `json:"state"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"` // what to do
}

// checkReport is what check --json prints.
type checkReport struct {
	Ready    bool           `json:"ready"`
	Config   string         `json:"config,omitempty"`
	Hash     string         `json:"config_hash,omitempty"`
	Mistakes []checkMistake `json:"mistakes,omitempty"`
	Findings []finding      `json:"findings,omitempty"`
}

// checkMistake is one mistake in a configuration.
type checkMistake struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Length  int    `json:"length"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (a *app) check(ctx context.Context, o checkOptions) error {
	if o.journal != "" {
		return a.checkGates(ctx, o)
	}
	if err := o.shape.check(); err != nil {
		return err
	}
	c := config.Default()
	report := checkReport{Config: o.config}
	if o.config != "" {
		var err error
		if c, err = config.Load(o.config); err != nil {
			return a.checkMistakes(report, err, o.asJSON)
		}
	}
	report.Hash = c.Hash()
	report.Findings = append(report.Findings, checkConfig(c, o.config))
	server, err := o.server.connection(a, c.NATS, "check")
	if err != nil {
		return err
	}
	report.Findings = append(report.Findings, checkServer(server))
	report.Findings = append(report.Findings, checkProcessors(), checkMemory(c.Engine.MemoryLimitBytes, a.env("GOMEMLIMIT")))
	onGPU, err := a.checkGPU(c, &o.shape)
	if err != nil {
		return err
	}
	report.Findings = append(report.Findings, onGPU...)
	report.Findings = append(report.Findings, checkJournal(c.Journal.Dir))
	if ctx.Err() != nil {
		return errInterrupted
	}
	return a.checkResult(report, o.asJSON)
}

func (a *app) checkMistakes(report checkReport, err error, asJSON bool) error {
	var mistakes config.Errors
	if !asJSON || !errors.As(err, &mistakes) {
		return err
	}
	for _, e := range mistakes {
		report.Mistakes = append(report.Mistakes, checkMistake{e.File, e.Line, e.Column, e.Length, e.Path, e.Message, e.Hint})
	}
	if printErr := a.printJSON(report); printErr != nil {
		return printErr
	}
	return usagef("%s: mistakes in the configuration: %d; they are in the JSON", report.Config, len(mistakes))
}

func (a *app) checkResult(report checkReport, asJSON bool) error {
	var failed []string
	for _, f := range report.Findings {
		if f.State == stateFail {
			failed = append(failed, f.What)
		}
	}
	report.Ready = len(failed) == 0
	if asJSON {
		if err := a.printJSON(report); err != nil {
			return err
		}
	} else if err := a.printFindings(report.Findings); err != nil {
		return err
	}
	if !report.Ready {
		return differencef("not ready: %s; see what to do above", strings.Join(failed, ", "))
	}
	return nil
}

func (a *app) printFindings(findings []finding) error {
	for _, f := range findings {
		if _, err := fmt.Fprintf(a.out, "%-10s %-5s %s\n", f.What, f.State, f.Text); err != nil {
			return err
		}
		if f.Hint != "" {
			if _, err := fmt.Fprintf(a.out, "%-10s %-5s %s\n", "", "", "-> "+f.Hint); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkConfig(c *config.Config, file string) finding {
	f := finding{What: "config", State: stateOK, Text: fmt.Sprintf("%s: partition %s, feeds %d, signals %d, hash %.12s", file, c.Partition, len(c.Feeds), len(c.Signals), c.Hash())}
	switch {
	case file == "":
		f.State, f.Text, f.Hint = stateNote, "none given: defaults", "name one with -c FILE"
	case len(c.Feeds) == 0:
		f.State, f.Hint = stateNote, "there are no feeds: nothing can be received until the list feeds names a subject"
	case len(c.Signals) == 0:
		f.State, f.Hint = stateNote, "there are no signals: ticks can be recorded and nothing is computed"
	case c.Risk.Gates == config.Off:
		f.State, f.Hint = stateNote, "risk.gates is off: everything passes; for research only"
	}
	return f
}

// checkServerTimeout is how long check tries each server.
const checkServerTimeout = time.Second

func checkServer(c natsconn.Config) finding {
	f := finding{What: "nats", State: stateOK}
	c.ConnectTimeout = checkServerTimeout
	connection, err := natsconn.Connect(c, natsconn.Handlers{})
	var failure *natsconn.Error
	switch {
	case errors.As(err, &failure):
		f.State, f.Text, f.Hint = stateFail, failure.Servers+": "+failure.Err.Error(), failure.Hint
		return f
	case err != nil:
		f.State, f.Text = stateFail, err.Error()
		return f
	}
	defer connection.Close()
	start := time.Now()
	if err := connection.Flush(checkServerTimeout); err != nil {
		f.State, f.Text, f.Hint = stateFail, connection.Stats().Server+": connected, and then no answer: "+err.Error(), "look at the server's log and load"
		return f
	}
	f.Text = fmt.Sprintf("%s: connected, round trip %s", connection.Stats().Server, time.Since(start).Round(time.Microsecond))
	return f
}

// checkJournal writes a file into the journal's folder and removes it. A folder that is not there yet would be made at the
// start: then the folder that would hold it is tried.
func checkJournal(dir string) finding {
	f := finding{What: "journal", State: stateOK}
	if dir == "" {
		f.State, f.Text, f.Hint = stateNote, "none: runs cannot be replayed or verified", "set journal.dir"
		return f
	}
	there, missing := dir, ""
	for {
		if _, err := os.Stat(there); !errors.Is(err, os.ErrNotExist) || filepath.Dir(there) == there {
			break
		}
		there, missing = filepath.Dir(there), " (to be made)"
	}
	probe, err := os.CreateTemp(there, ".sigengine-check-*")
	if err != nil {
		f.State, f.Text, f.Hint = stateFail, dir+": "+err.Error(), "name a folder that this user may write, or give it permission"
		return f
	}
	_, err = probe.WriteString("check\n")
	err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
	if err != nil {
		f.State, f.Text, f.Hint = stateFail, dir+": "+err.Error(), "is the disk full?"
		return f
	}
	f.Text = dir + missing + ": can be written"
	if free, ok := freeBytes(there); ok {
		f.Text += ", " + bytesText(free) + " free"
	}
	return f
}
