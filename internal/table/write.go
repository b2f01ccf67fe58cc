package table

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
)

// Writer takes the results of Evaluate. Cells are the input's, empty if they are not kept; an undefined value is NaN.
type Writer interface {
	Header(kept []string, names []string) error
	Row(kept []string, values []float64) error
	Flush() error
}

var (
	_ Writer = (*csvWriter)(nil)
	_ Writer = (*jsonWriter)(nil)
)

// AppendNumber appends the shortest text that reads back as the same number, nothing for an undefined one. Very large
// and very small ones have an exponent.
func AppendNumber(dst []byte, v float64) []byte {
	if v-v != 0 {
		return dst
	}
	format := byte('f')
	if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, v, format, -1, 64)
}

type csvWriter struct {
	out   *csv.Writer
	raw   *bufio.Writer
	cells []string
	text  []byte
}

// NewCSVWriter writes CSV with a header.
func NewCSVWriter(out io.Writer) Writer {
	raw := bufio.NewWriterSize(out, 1<<16)
	return &csvWriter{out: csv.NewWriter(raw), raw: raw}
}

func (w *csvWriter) Header(kept, names []string) error {
	return w.out.Write(append(append([]string{}, kept...), names...))
}

func (w *csvWriter) Row(kept []string, values []float64) error {
	w.cells = append(w.cells[:0], kept...)
	for _, v := range values {
		w.text = AppendNumber(w.text[:0], v)
		w.cells = append(w.cells, string(w.text))
	}
	if len(w.cells) == 1 && w.cells[0] == "" { // a blank line would be no row to who reads it
		w.out.Flush()
		_, err := w.raw.WriteString("\"\"\n")
		return err
	}
	return w.out.Write(w.cells)
}

func (w *csvWriter) Flush() error {
	w.out.Flush()
	if err := w.out.Error(); err != nil {
		return err
	}
	return w.raw.Flush()
}

type jsonWriter struct {
	out         *bufio.Writer
	kept, names []string // quoted
	line        []byte
}

// NewJSONWriter writes one object a line: kept cells as strings, values as numbers, null for undefined.
func NewJSONWriter(out io.Writer) Writer { return &jsonWriter{out: bufio.NewWriterSize(out, 1<<16)} }

func (w *jsonWriter) Header(kept, names []string) error {
	w.kept, w.names = quoted(kept), quoted(names)
	return nil
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		text, _ := json.Marshal(name)
		out[i] = string(text)
	}
	return out
}

func (w *jsonWriter) Row(kept []string, values []float64) error {
	b := append(w.line[:0], '{')
	for i, cell := range kept {
		text, err := json.Marshal(cell)
		if err != nil {
			return err
		}
		b = append(w.key(b, w.kept[i]), text...)
	}
	for i, v := range values {
		b = w.key(b, w.names[i])
		if v-v != 0 {
			b = append(b, "null"...)
		} else {
			b = AppendNumber(b, v)
		}
	}
	w.line = append(b, '}', '\n')
	_, err := w.out.Write(w.line)
	return err
}

func (w *jsonWriter) key(b []byte, name string) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	return append(append(b, name...), ':')
}

func (w *jsonWriter) Flush() error { return w.out.Flush() }
