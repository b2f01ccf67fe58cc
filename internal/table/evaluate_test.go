package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/internal/testdata"
	"github.com/sigengine/sigengine/kernels"
)

// evaluate runs expressions, each NAME=TEXT, over a table.
func evaluate(t testing.TB, text string, o Options, newWriter func(*strings.Builder) Writer, expressions ...string) (string, error) {
	t.Helper()
	r, err := NewReader(strings.NewReader(text), "t.csv", 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []kernels.TableExpression
	for _, x := range expressions {
		name, text, _ := strings.Cut(x, "=")
		list = append(list, kernels.TableExpression{Name: name, Text: text})
	}
	compiled, err := Compile(r.Columns(), list, o.Time >= 0)
	if err != nil {
		var mistakes *Mistakes
		if errors.As(err, &mistakes) {
			t.Fatal(mistakes.Render())
		}
		t.Fatal(err)
	}
	var out strings.Builder
	_, err = Evaluate(r, compiled, o, newWriter(&out))
	return out.String(), err
}

func asCSV(b *strings.Builder) Writer  { return NewCSVWriter(b) }
func asJSON(b *strings.Builder) Writer { return NewJSONWriter(b) }

func TestEvaluate(t *testing.T) {
	const text = "T,Last Price,note\n1,10,x\n2,,\"y,z\"\n3,12,\n4,14,é\n"
	for _, c := range []struct {
		name   string
		o      Options
		writer func(*strings.Builder) Writer
		want   string
	}{
		{"columns", Options{Time: -1}, asCSV, "p,d,up\n9,,\n,,\n9,2,1\n9,2,1\n"},
		{"kept", Options{Time: -1, Keep: true}, asCSV, "T,Last Price,note,p,d,up\n1,10,x,9,,\n2,,\"y,z\",,,\n3,12,,9,2,1\n4,14,é,9,2,1\n"},
		{"json", Options{Time: -1, Keep: true}, asJSON, `{"T":"1","Last Price":"10","note":"x","p":9,"d":null,"up":null}
{"T":"2","Last Price":"","note":"y,z","p":null,"d":null,"up":null}
{"T":"3","Last Price":"12","note":"","p":9,"d":2,"up":1}
{"T":"4","Last Price":"14","note":"é","p":9,"d":2,"up":1}
`},
	} {
		got, err := evaluate(t, text, c.o, c.writer, "p=where(last_price > 11, 9, 9)", "d=diff(last_price)*where(last_price>0,1,1)", "up=d > 0")
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
	}
}

// TestEmptyCellIsNotFresh: what steps on updates does not step on a row without a number, and what holds holds.
func TestEmptyCellIsNotFresh(t *testing.T) {
	got, err := evaluate(t, "a,b\n1,1\n,2\n3,\n4,4\n", Options{Time: -1}, asCSV, "s=sma(a, 2)", "p=prev(a)", "both=a+b")
	if want := "s,p,both\n,,2\n,,\n2,1,\n3.5,3,8\n"; err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// TestEmptyCellDoesNotStep: a condition that is true whatever the cell holds is no update on a row without it.
func TestEmptyCellDoesNotStep(t *testing.T) {
	got, err := evaluate(t, "a\n1\n\"\"\n2\n", Options{Time: -1}, asCSV, "s=sma(where(a > 0 or sma(a, 1) > 0, 7, 7), 2)")
	if want := "s\n\"\"\n\"\"\n7\n"; err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// TestLargeTable: the bound is a row's, not the table's.
func TestLargeTable(t *testing.T) {
	const rows = 3 * RowBytesMax / 8
	got, err := evaluate(t, "a\n"+strings.Repeat("1.25000\n", rows), Options{Time: -1}, asCSV, "b=a")
	if err != nil || strings.Count(got, "\n1.25") != rows {
		t.Errorf("%v, %d rows", err, strings.Count(got, "\n1.25"))
	}
}

func TestTimeWindows(t *testing.T) {
	const text = "when,x\n10,1\n70,2\n130,3\n131,4\n131,5\n"
	got, err := evaluate(t, text, Options{Time: 0, Unit: UnitSecond}, asCSV, "s=sma(x, 1m)")
	if want := "s\n\"\"\n2\n3\n3.5\n4\n"; err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	got, err = evaluate(t, "when,x\n10,1\n9,2\n", Options{Time: 0, Unit: UnitSecond}, asCSV, "s=x")
	if err == nil || got != "s\n1\n" || err.Error() != `t.csv:3: row 2, column 1 ("when"): "9" is before the time of the row above; sort the rows by time` {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestRowsBeforeAnError are written, also within a batch.
func TestRowsBeforeAnError(t *testing.T) {
	for _, good := range []int{0, 1, 63, 64, 65, 200} {
		var text, want strings.Builder
		text.WriteString("a\n")
		want.WriteString("x\n")
		for i := range good {
			fmt.Fprintf(&text, "%d\n", i)
			fmt.Fprintf(&want, "%d\n", i)
		}
		text.WriteString("bad\n7\n")
		got, err := evaluate(t, text.String(), Options{Time: -1}, asCSV, "x=a")
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Row != good+1 || wrong.Line != good+2 || got != want.String() {
			t.Errorf("%d rows: %v\n%s", good, err, got)
		}
	}
}

// TestNumbers: every number comes out as the shortest text that reads back as itself.
func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1234567: "1234567", 1e-7: "1e-07", 1e20: "100000000000000000000", 1e21: "1e+21", 0.1: "0.1", -2.5: "-2.5",
		math.MaxFloat64: "1.7976931348623157e+308", math.Inf(1): "",
	} {
		if got := string(AppendNumber(nil, v)); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		out, err := evaluate(unfailing{}, "a\n"+strconv.FormatFloat(v, 'g', -1, 64)+"\n", Options{Time: -1}, asCSV, "x=a")
		if v-v != 0 {
			return
		}
		back, parseErr := strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(out, "x\n")), 64)
		if err != nil || parseErr != nil || math.Float64bits(back) != math.Float64bits(v) {
			t.Fatalf("%v: %v %v in %q", v, err, parseErr, out)
		}
	})
}

// unfailing is a test whose failures panic, for use in properties.
type unfailing struct{ testing.TB }

func (unfailing) Helper()           {}
func (unfailing) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func TestMistakes(t *testing.T) {
	columns := []Column{{"Close", "close"}, {"t", "t"}, {"%", ""}}
	for _, c := range []struct {
		name        string
		expressions []kernels.TableExpression
		want        string
	}{
		{"unknown", []kernels.TableExpression{{Name: "a", Text: "ema(clsoe, 20)"}}, `a:1:5: unknown name clsoe
    ema(clsoe, 20)
        ^~~~~
    hint: did you mean close?
columns: close ("Close"), t
`},
		{"time", []kernels.TableExpression{{Name: "a", Text: "ema(close, 20)"}, {Name: "b", Text: "a + sma(close, 5m)"}}, `b:1:16: this depends on time, and the rows have none
    a + sma(close, 5m)
                   ^~
    hint: name their column with --time COLUMN and --time-unit s, ms, us, ns or rfc3339, or give windows in rows: 20 instead of 20s
columns: close ("Close"), t
`},
		{"itself", []kernels.TableExpression{{Name: "z", Text: "z"}, {Name: "z", Text: "z + signal"}}, `z:1:1: expression z uses itself
    z
    ^
    hint: prev(x, 1) gives an earlier value of x
name of expression 2:1:1: name z is given twice
    z
    ^
z:1:5: unknown name signal
    z + signal
        ^~~~~~
    hint: did you mean sign?
columns: close ("Close"), t
`},
		{"name", []kernels.TableExpression{{Name: "close", Text: "1"}, {Name: "b", Text: "c"}, {Name: "c", Text: "close"}}, `name of expression 1:1:1: "close" is a column
    close
    ^~~~~
b:1:1: expression c is defined later
    c
    ^
    hint: move it above this one; an expression may use earlier ones only
columns: close ("Close"), t
`},
	} {
		_, err := Compile(columns, c.expressions, false)
		var mistakes *Mistakes
		if !errors.As(err, &mistakes) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := mistakes.Render(); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestAgainstSkender: eval's output beside that of DaveSkender/Stock.Indicators on the same bars, to the bit where the
// recursion is the same, to 1e-12 where sums are rolled.
func TestAgainstSkender(t *testing.T) {
	bars, err := os.ReadFile(testdata.Shared(t, "skender/quotes/default.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		expression, file, column string
		tolerance                float64
	}{
		{"ema20=ema(close, 20)", "skender/results/ema.csv", "ema", 0},
		{"mean=sma(close, 14)", "skender/results/stdev.csv", "mean", 1e-12},
	} {
		out, err := evaluate(t, string(bars), Options{Time: 0, Unit: UnitRFC3339, Keep: true}, asCSV, c.expression)
		if err != nil {
			t.Fatal(err)
		}
		want := column(t, string(readFile(t, c.file)), c.column)
		name, _, _ := strings.Cut(c.expression, "=")
		got := column(t, out, name)
		if len(got) != len(want) || len(got) != 502 {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i := range got {
			if (got[i] == "") != (want[i] == "") {
				t.Fatalf("%s row %d: %q, want %q", name, i+1, got[i], want[i])
			}
			a, _ := strconv.ParseFloat(got[i], 64)
			b, _ := strconv.ParseFloat(want[i], 64)
			if math.Abs(a-b) > c.tolerance*math.Abs(b) {
				t.Errorf("%s row %d: %v, want %v", name, i+1, a, b)
			}
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func column(t *testing.T, text, name string) []string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, header := range records[0] {
		if header == name {
			for _, record := range records[1:] {
				out = append(out, record[i])
			}
			return out
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

// FuzzCompile: no text makes the compiler of tables panic, and what it accepts can be evaluated.
func FuzzCompile(f *testing.F) {
	for _, seed := range [][2]string{
		{"x", "a + b"},
		{"a", "a"},
		{"z", "z"},
		{"x", "y > 1"},
		{"y", "sma(a, 5s)"},
		{"x", "value"},
		{"x", "of(ref(\"a\", \"b\"), a)"},
		{"x", "session"},
		{"x", "sma(a, session)"},
		{"", "1"},
		{"x", "crosses(a, b)"},
		{"x", "ref"},
		{"x", "clock(1s)"},
		{"x", "true"},
	} {
		f.Add(seed[0], seed[1], "x + 1")
	}
	f.Fuzz(func(t *testing.T, name, text, second string) {
		r, err := NewReader(strings.NewReader("a,b,t\n1,2,3\n,4,5\n5,,9\n"), "t.csv", 0)
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := Compile(r.Columns(), []kernels.TableExpression{{Name: name, Text: text}, {Name: "y", Text: second}}, true)
		var mistakes *Mistakes
		if errors.As(err, &mistakes) {
			if mistakes.Render() == "" {
				t.Fatal("mistakes are not shown")
			}
			return
		}
		if rows, err := Evaluate(r, compiled, Options{Time: 2, Unit: UnitSecond}, NewCSVWriter(&strings.Builder{})); err != nil || rows != 3 {
			t.Fatalf("%d rows, %v", rows, err)
		}
	})
}
