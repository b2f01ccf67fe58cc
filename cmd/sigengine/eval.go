package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/internal/table"
	"github.com/sigengine/sigengine/kernels"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	expressions     []string
	csv             string
	separator       string
	timeName, units string
	output          string
	keep            bool
	asJSON          bool
}

func newEval(a *app) *cobra.Command {
	var o evalOptions
	c := &cobra.Command{
		Use:   "eval",
		Short: "Compute expressions over a table of comma-separated values",
		Long: `eval reads a table with a header and prints a column for each expression. Every column is a series, every
row a tick: sma(close, 20) is the mean of the last 20 rows of the column close. The language is that of
signals (docs/language.md), with the columns in place of the fields of quotes and trades. An expression may use
the ones before it by name. Only columns that expressions use need to hold numbers.

In expressions a column is its header in small letters, with one underscore for whatever is not a letter or a
digit: "Adj Close" is adj_close. A column wins over an operator of the same name.

An empty cell, or NaN, is undefined; so is an empty cell of the output. A condition prints 1 or 0. Windows in
rows need nothing more; windows of time (sma(close, 5m)) need a column of times, named with --time, which may
not go back.`,
		Example: `  sigengine eval --csv prices.csv --expr 'fast=ema(close, 12)' --expr 'up=close > fast'
  sigengine eval --csv prices.csv --keep --expr 'rsi14=rsi(close, 14)' -o with-rsi.csv
  sigengine eval --csv ticks.csv --time ts --time-unit ms --expr 'z=zscore(price, 30s)'
  zcat prices.csv.gz | sigengine eval --csv - --json --expr 'r=roc(close, 1)'`,
		Args: noArgs,
		RunE: run(func(ctx context.Context, _ []string) error { return a.eval(ctx, &o) }),
	}
	c.Flags().StringArrayVarP(&o.expressions, "expr", "e", nil, "NAME=EXPRESSION; give it once for each column")
	c.Flags().StringVar(&o.csv, "csv", "", "the table, or - for standard input")
	c.Flags().StringVar(&o.separator, "separator", ",", "what separates cells: one character, or tab")
	c.Flags().StringVar(&o.timeName, "time", "", "the column of times")
	c.Flags().StringVar(&o.units, "time-unit", "", "how times are written: s, ms, us or ns since 1970, or rfc3339")
	c.Flags().StringVarP(&o.output, "output", "o", "", "write to this file instead of standard output")
	c.Flags().BoolVar(&o.keep, "keep", false, "print the columns of the table before the results")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object a row")
	return c
}

func (a *app) eval(ctx context.Context, o *evalOptions) error {
	expressions, err := o.parse()
	if err != nil {
		return err
	}
	separator, err := o.separatorRune()
	if err != nil {
		return err
	}
	in, name, err := a.openTable(o.csv)
	if err != nil {
		return err
	}
	defer in.Close()
	reader, err := table.NewReader(interruptible{ctx, in}, name, separator)
	if err != nil {
		return asTableFailure(err)
	}
	options, err := o.times(reader.Columns())
	if err != nil {
		return err
	}
	compiled, err := table.Compile(reader.Columns(), expressions, options.Time >= 0)
	if err != nil {
		return a.evalMistakes(err)
	}
	out, err := a.createOutput(o.output, in)
	if err != nil {
		return err
	}
	write := table.NewCSVWriter
	if o.asJSON {
		write = table.NewJSONWriter
	}
	_, err = table.Evaluate(reader, compiled, options, write(out))
	return asTableFailure(errors.Join(err, out.Close()))
}

// parse splits the expressions into names and texts.
func (o *evalOptions) parse() ([]kernels.TableExpression, error) {
	if len(o.expressions) == 0 {
		return nil, usagef("--expr is missing; as in --expr 'fast=ema(close, 12)'")
	}
	if o.csv == "" {
		return nil, usagef("--csv is missing; name a table, or - for standard input")
	}
	expressions := make([]kernels.TableExpression, len(o.expressions))
	for i, text := range o.expressions {
		name, rest, found := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if !found || name == "" || strings.HasPrefix(rest, "=") || strings.ContainsAny(name, "(<>!+-*/ ") {
			return nil, usagef("--expr %q has no name; write NAME=EXPRESSION, as in --expr 'x=%s'", text, strings.TrimLeft(text, "= "))
		}
		expressions[i] = kernels.TableExpression{Name: name, Text: strings.TrimSpace(rest)}
	}
	return expressions, nil
}

func (o *evalOptions) separatorRune() (rune, error) {
	if o.separator == "tab" {
		return '\t', nil
	}
	r, size := utf8.DecodeRuneInString(o.separator)
	if size != len(o.separator) || size == 0 || r == utf8.RuneError || strings.ContainsRune("\"\r\n", r) {
		return 0, usagef("--separator is %q; want one character, or tab", o.separator)
	}
	return r, nil
}

// times finds the column of times.
func (o *evalOptions) times(columns []table.Column) (table.Options, error) {
	options := table.Options{Time: -1, Keep: o.keep}
	if o.timeName == "" {
		if o.units != "" {
			return options, usagef("--time-unit says how times are written; say which column they are in with --time")
		}
		return options, nil
	}
	unit, err := table.ParseTimeUnit(o.units)
	if err != nil {
		return options, usagef("--time-unit is %q; %w", o.units, err)
	}
	options.Unit = unit
	options.Time = slices.IndexFunc(columns, func(c table.Column) bool { return c.Header == o.timeName })
	if options.Time < 0 {
		options.Time = slices.IndexFunc(columns, func(c table.Column) bool { return c.Name != "" && c.Name == o.timeName })
	}
	if options.Time < 0 {
		var headers []string
		for _, c := range columns {
			headers = append(headers, c.Header)
		}
		return options, usagef("--time is %q, and there is no such column; there are: %s", o.timeName, strings.Join(headers, ", "))
	}
	return options, nil
}

// openTable opens the input and returns it with its name in messages.
func (a *app) openTable(path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(a.in), "standard input", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, "", usagef("--csv: %w; name a table, or - for standard input", err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, "", usagef("--csv: %s is a folder; name a file", path)
	}
	return file, path, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// createOutput creates the file, which must not be the one that is read; without a name it is standard output.
func (a *app) createOutput(path string, in io.Reader) (io.WriteCloser, error) {
	if path == "" {
		return nopCloser{a.out}, nil
	}
	if file, ok := in.(*os.File); ok {
		source, err := file.Stat()
		if target, targetErr := os.Stat(path); err == nil && targetErr == nil && os.SameFile(source, target) {
			return nil, usagef("-o: %s is the table that is read; write to another file", path)
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, usagef("-o: %w", err)
	}
	return file, nil
}

// evalMistakes shows mistakes in expressions.
func (a *app) evalMistakes(err error) error {
	var mistakes *table.Mistakes
	if !errors.As(err, &mistakes) {
		return err
	}
	fmt.Fprint(a.err, mistakes.Render())
	return usagef("%w; docs/language.md lists what there is", mistakes)
}

// asTableFailure gives an error of a table its exit code: what is wrong in the input can be put right there.
func asTableFailure(err error) error {
	var wrong *table.Error
	if errors.As(err, &wrong) {
		return asUsage(err)
	}
	return err
}

// interruptible ends reading when the command is interrupted.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

// Read reads unless the command was interrupted.
func (r interruptible) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, errInterrupted
	}
	return r.in.Read(p)
}
