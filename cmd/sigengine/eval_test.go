package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEval runs testdata/eval/*.txt: arguments, one a line; a table; then what eval prints.
func TestEval(t *testing.T) {
	files, err := filepath.Glob("testdata/eval/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts in testdata/eval")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			args, rest, _ := strings.Cut(string(script), "-- table\n")
			table, _, found := strings.Cut(rest, "-- prints\n")
			if !found {
				t.Fatal("no table, or no place for what is printed")
			}
			c := commandLine{in: table}
			code := c.run(t.Context(), append([]string{"eval", "--csv", "-"}, strings.Split(strings.TrimSpace(args), "\n")...)...)
			got := args + "-- table\n" + table + "-- prints\n" + c.out.String()
			if text := c.err.String(); text != "" {
				got += "-- says\n" + text
			}
			if want := c.err.String() != ""; (code == exitUsage) != want || code != exitOK && code != exitUsage {
				t.Errorf("exit code %d", code)
			}
			golden(t, strings.TrimPrefix(file, "testdata/"), got)
		})
	}
}

// TestEvalFiles: input and output by name, and as one JSON object a row.
func TestEvalFiles(t *testing.T) {
	in := writeFile(t, "in.csv", "a\n1\n\"\"\n3\n")
	out := filepath.Join(t.TempDir(), "out.csv")
	if text := ok(t, "eval", "--csv", in, "-e", "b = a * 2", "-o", out); text != "" {
		t.Errorf("printed %q", text)
	}
	text, err := os.ReadFile(out)
	if err != nil || string(text) != "b\n2\n\"\"\n6\n" {
		t.Errorf("%q, %v", text, err)
	}
	if text := ok(t, "eval", "--csv", in, "-e", "b=a", "--json"); text != "{\"b\":1}\n{\"b\":null}\n{\"b\":3}\n" {
		t.Errorf("%q", text)
	}
}

func TestEvalFailures(t *testing.T) {
	in := writeFile(t, "in.csv", "Time,a\n1,2\n")
	for _, test := range []struct {
		args []string
		line string
	}{
		{nil, "--expr is missing; as in --expr 'fast=ema(close, 12)'"},
		{[]string{"-e", "b=a"}, "--csv is missing; name a table, or - for standard input"},
		{[]string{"-e", "a > 1", "--csv", in}, `--expr "a > 1" has no name; write NAME=EXPRESSION, as in --expr 'x=a > 1'`},
		{[]string{"-e", "a == 1", "--csv", in}, `--expr "a == 1" has no name`},
		{[]string{"-e", "b=a", "--csv", "/no/such.csv"}, "--csv: open /no/such.csv: no such file or directory; name a table"},
		{[]string{"-e", "b=a", "--csv", filepath.Dir(in)}, "is a folder; name a file"},
		{[]string{"-e", "b=a", "--csv", in, "--separator", "ab"}, `--separator is "ab"; want one character, or tab`},
		{[]string{"-e", "b=a", "--csv", in, "--time", "x", "--time-unit", "s"}, `--time is "x", and there is no such column; there are: Time, a`},
		{[]string{"-e", "b=a", "--csv", in, "--time", "Time"}, `--time-unit is ""; want s, ms, us, ns or rfc3339`},
		{[]string{"-e", "b=a", "--csv", in, "--time-unit", "s"}, "--time-unit says how times are written; say which column they are in with --time"},
		{[]string{"-e", "b=a", "--csv", in, "-o", in}, "is the table that is read; write to another file"},
		{[]string{"-e", "b=a", "--csv", in, "-o", "/no/such/out.csv"}, "-o: open /no/such/out.csv"},
	} {
		var c commandLine
		code := c.run(t.Context(), append([]string{"eval"}, test.args...)...)
		if text := c.err.String(); code != exitUsage || !strings.Contains(text, test.line) || strings.Count(text, "\n") != 1 || c.out.String() != "" {
			t.Errorf("%q: code %d, %q, want %q", test.args, code, text, test.line)
		}
	}
}
