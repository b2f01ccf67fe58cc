package table

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// readAll reads a whole table, numbers in every column, times in the first if unit is given.
func readAll(text string, separator rune, unit TimeUnit) (rows [][]float64, err error) {
	r, err := NewReader(strings.NewReader(text), "t.csv", separator)
	if err != nil {
		return nil, err
	}
	for {
		cells, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		row := make([]float64, len(cells))
		for i := range cells {
			if i == 0 && unit != "" {
				if _, err := r.Time(0, unit); err != nil {
					return rows, err
				}
				continue
			}
			v, ok, err := r.Number(i)
			if err != nil {
				return rows, err
			}
			if row[i] = v; !ok {
				row[i] = -1
			}
		}
		rows = append(rows, row)
	}
}

func TestReaderErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		separator  rune
		unit       TimeUnit
		want       string
	}{
		{name: "empty", text: "", want: "t.csv: is empty; the first row names the columns"},
		{name: "word", text: "a,b\n1,2\n1,x\n", want: `t.csv:3: row 2, column 2 ("b"): "x" is not a number; write digits such as 1234.5, or leave the cell empty if it is unknown`},
		{name: "missing value", text: "a,b\n1,NA\n", want: `"NA" is not a number; write digits such as 1234.5, or leave the cell empty`},
		{name: "thousands", text: "a\n\"1,234\"\n", want: `t.csv:2: row 1, column 1 ("a"): "1,234" is not a number; write 1234.5, with a point and no thousands' separators`},
		{name: "thousands and point", text: "a\n\"1,234.5\"\n", want: `write 1234.5`},
		{name: "currency", text: "a\n$12\n", want: `"$12" is not a number; write 12`},
		{name: "percent", text: "a\n2.5%\n", want: `write 0.025 for 2.5%`},
		{name: "infinite", text: "a\n-Inf\n", want: `"-Inf" is infinite; an unknown cell is left empty`},
		{name: "range", text: "a\n1e999\n", want: `"1e999" is too large for a float64`},
		{name: "short row", text: "a,b\n1\n", want: "t.csv:2: row 1: 1 cells, the header has 2; an unknown cell is written as an empty one, with its separator"},
		{name: "long row", text: "a,b\n1,2\n\n1,2,3\n", want: "t.csv:4: row 2: 3 cells, the header has 2; a cell that holds the separator needs double quotes around it"},
		{name: "same header", text: "a,b,a\n", want: `t.csv:1: header, column 3 ("a"): column 1 has the same header; give one of them another`},
		{name: "same name", text: "Close,b,close\n", want: `t.csv:1: header, column 3 ("close"): column 1 ("Close") has the same name in expressions, close; give one of them another`},
		{name: "semicolon", text: "a;b\n1;2\n", want: `t.csv:1: header, column 1: the only header is "a;b"; is the separator another? Then say --separator ';'`},
		{name: "tab", text: "a\tb\n1\t2\n", want: "--separator tab"},
		{name: "comma", text: "a,b\n1,2\n", separator: ';', want: "--separator ','"},
		{name: "bare quote", text: "a\n1\"2\n", want: `t.csv:2: row 1: a double quote inside a cell, at byte 2 of the line; put the cell in double quotes and write "" for each inside`},
		{name: "open quote", text: "a\n\"12\n", want: "t.csv:2: row 1: a quoted cell does not end well"},
		{name: "line in a quoted cell", text: "a,b\n\"x\ny\",1\n1,2\nz,3\n", want: `t.csv:2: row 1, column 1 ("a"): "x\ny" is not a number`},
		{name: "long cell", text: "a\n" + strings.Repeat("x", 100) + "\n", want: `"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is not a number`},
		{name: "endless row", text: "a\n\"" + strings.Repeat("x", 2*RowBytesMax), want: "row 1: the row is longer than 1048576 bytes; is a double quote not closed?"},
		{name: "no time", text: "t\n\n\"\"\n", unit: UnitSecond, want: `t.csv:3: row 1, column 1 ("t"): "" is no time; every row needs one`},
		{name: "date for number", text: "t\n2026-01-02\n", unit: UnitSecond, want: `is not a time; say --time-unit rfc3339 for dates`},
		{name: "number for date", text: "t\n1700000000\n", unit: UnitRFC3339, want: `"1700000000" is not a time; write 2026-01-02T15:04:05Z, or say --time-unit s, ms, us or ns for numbers`},
		{name: "too fine", text: "t\n1.0000000001\n", unit: UnitSecond, want: `is finer than a nanosecond; write a number of s`},
		{name: "fraction of a nanosecond", text: "t\n1.5\n", unit: UnitNanosecond, want: `is finer than a nanosecond; write a number of ns`},
		{name: "far", text: "t\n9999999999999\n", unit: UnitSecond, want: `is too far from 1970`},
		{name: "far date", text: "t\n2300-01-01\n", unit: UnitRFC3339, want: `is not a time`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readAll(c.text, c.separator, c.unit)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
			var wrong *Error
			if !errors.As(err, &wrong) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%T is no *Error of one line", err)
			}
		})
	}
}

func TestReaderAccepts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		separator  rune
		want       [][]float64
	}{
		{"plain", "a,b\n1,2\n3,4\n", 0, [][]float64{{1, 2}, {3, 4}}},
		{"mark and carriage returns", "\ufeffa,b\r\n1,2\r\n", 0, [][]float64{{1, 2}}},
		{"no last line end", "a\n1", 0, [][]float64{{1}}},
		{"spaces", "a , b\n 1 ,2e3 \n", 0, [][]float64{{1, 2000}}},
		{"empty and NaN", "a,b\n,NaN\n", 0, [][]float64{{-1, -1}}},
		{"quoted empty", "a\n\"\"\n", 0, [][]float64{{-1}}},
		{"other separator", "a;b\n1;2\n", ';', [][]float64{{1, 2}}},
		{"header only", "a,b\n", 0, nil},
		{"subnormal", "a\n5e-324\n", 0, [][]float64{{5e-324}}},
	} {
		got, err := readAll(c.text, c.separator, "")
		if err != nil || !equalRows(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

func equalRows(a, b [][]float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return false
		}
		for j := range a[i] {
			if a[i][j] != b[i][j] {
				return false
			}
		}
	}
	return true
}

// FuzzReader: no input makes the reader panic, run on for ever, or lose its place.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "a\n\"\n", "\ufeffa;b\r\n1;2", "a,a\n", "a\n1e999\n", "a,b\n1\n", "\"a\nb\",c\n1,2\n", "t\n2026-01-02T00:00:00Z\n", "\n\n", ",\n,\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, unit := range []TimeUnit{"", UnitSecond, UnitRFC3339} {
			rows, err := readAll(text, 0, unit)
			var wrong *Error
			if err != nil && !errors.As(err, &wrong) {
				t.Fatalf("%v is no *Error", err)
			}
			if lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1; wrong != nil && (wrong.Line > lines+1 || wrong.Row > lines || len(rows) > lines) {
				t.Fatalf("%v: %d rows in %d lines", err, len(rows), lines)
			}
			if wrong != nil && wrong.Error() == "" {
				t.Fatal("no message")
			}
		}
	})
}
