package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
)

// The exit codes. They are part of the command line's contract and listed in the root's help.
const (
	exitOK          = 0
	exitDifference  = 1
	exitUsage       = 2
	exitRuntime     = 3
	exitGPU         = 4
	exitInterrupted = 130
)

const exitCodesHelp = `Exit codes:
  0    done
  1    a difference was found, or a check failed
  2    wrong usage or configuration
  3    failed while running
  4    executor gpu and no GPU can be used, or a GPU was lost and nothing followed it
  130  interrupted`

// exitError is an error with an exit code. Its text is one line that says what to do.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usagef makes an error of usage or configuration.
func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// differencef makes the error of a check that failed.
func differencef(format string, args ...any) error {
	return &exitError{exitDifference, fmt.Errorf(format, args...)}
}

// asUsage gives an error the code of wrong usage or configuration.
func asUsage(err error) error { return withCode(exitUsage, err) }

// asRuntimeFailure gives an error the code of a failure while running, unless it has a code. Mistakes in a configuration keep
// theirs, see finish.
func asRuntimeFailure(err error) error {
	if errors.Is(err, engine.ErrDeviceLost) {
		return withCode(exitGPU, err)
	}
	return withCode(exitRuntime, err)
}

func withCode(code int, err error) error {
	var has *exitError
	if err == nil || errors.As(err, &has) {
		return err
	}
	return &exitError{code, err}
}

// errInterrupted says that a signal ended the command; nothing more needs to be said.
var errInterrupted = &exitError{exitInterrupted, context.Canceled}

// finish prints the error that ended the command and returns the exit code.
func (a *app) finish(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	var mistakes config.Errors
	if errors.As(err, &mistakes) {
		a.printMistakes(mistakes)
		return exitUsage
	}
	code := exitUsage // what the command line library says itself is about usage
	var has *exitError
	if errors.As(err, &has) {
		code = has.code
	}
	fmt.Fprintln(a.err, "sigengine: "+oneLine(plain(err.Error())))
	return code
}

// printMistakes shows a configuration's mistakes with their places, and a last line that counts them.
func (a *app) printMistakes(mistakes config.Errors) {
	if e := mistakes[0]; len(mistakes) == 1 && e.Line == 0 { // such as a file that is not there
		fmt.Fprintf(a.err, "sigengine: %s; %s\n", oneLine(plain(e.Error())), e.Hint)
		return
	}
	fmt.Fprint(a.err, mistakes.Render())
	count, verb := "1 mistake", "it"
	if len(mistakes) > 1 {
		count, verb = fmt.Sprintf("%d mistakes", len(mistakes)), "them"
	}
	fmt.Fprintf(a.err, "sigengine: %s in the configuration; correct %s and try again (docs/config.md lists every key)\n", count, verb)
}

// packages are prefixes of errors that say where in this program they were made, which is no user's business.
var packages = regexp.MustCompile(`(^|: |; |\n)(?:bench|codec|config|control|cu|cuda|engine|executor|explain|feed|gpu|journal|kernels|live|metrics|natsconn|natsfeed|` +
	`natsserver|program|publish|replay|report|ring|risk|setup|signal|sim|table|venue|wire): `)

// plain leaves out the prefixes of packages.
func plain(text string) string {
	for {
		shorter := packages.ReplaceAllString(text, "$1")
		if shorter == text {
			return text
		}
		text = shorter
	}
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
