package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// RowBytesMax is how long a row may be.
const RowBytesMax = 1 << 20

// Reader reads a table row by row. Its first row is the header.
type Reader struct {
	file    string
	csv     *csv.Reader
	limit   *limitedReader
	columns []Column
	cells   []string
	row     int
}

// NewReader reads the header. file is the input's name in errors. A separator of 0 means a comma.
func NewReader(in io.Reader, file string, separator rune) (*Reader, error) {
	buffered := bufio.NewReader(in)
	if mark, err := buffered.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		_, _ = buffered.Discard(len(mark))
	}
	r := &Reader{file: file, limit: &limitedReader{in: buffered, left: rowBudget}}
	r.csv = csv.NewReader(r.limit)
	r.csv.FieldsPerRecord = -1
	r.csv.ReuseRecord = true
	if separator != 0 {
		r.csv.Comma = separator
	}
	headers, err := r.csv.Read()
	switch {
	case err == io.EOF:
		return nil, &Error{File: file, Message: "is empty", Hint: "the first row names the columns"}
	case err != nil:
		return nil, r.failure(err)
	}
	headers = slices.Clone(headers)
	for i := range headers {
		headers[i] = strings.TrimSpace(headers[i])
	}
	if err := r.guess(headers); err != nil {
		return nil, err
	}
	return r, r.names(headers)
}

const byteOrderMark = "\ufeff"

// guess recognises a table with another separator; it would only give confusing messages later.
func (r *Reader) guess(headers []string) error {
	if len(headers) > 1 {
		return nil
	}
	for _, other := range []struct{ separator, flag string }{{";", "';'"}, {"\t", "tab"}, {"|", "'|'"}, {",", "','"}} {
		if strings.Contains(headers[0], other.separator) {
			e := r.headerError(0, "the only header is "+shown(headers[0]))
			e.Hint = "is the separator another? Then say --separator " + other.flag
			return e
		}
	}
	return nil
}

// Columns returns the columns. They do not change.
func (r *Reader) Columns() []Column { return r.columns }

// Next reads the next row and returns its cells, valid until the call after. It returns io.EOF after the last. Blank lines are no rows.
func (r *Reader) Next() ([]string, error) {
	r.limit.left = rowBudget
	cells, err := r.csv.Read()
	switch {
	case err == io.EOF:
		return nil, io.EOF
	case err != nil:
		r.row++
		return nil, r.failure(err)
	}
	r.row++
	r.cells = cells
	if have, want := len(cells), len(r.columns); have != want {
		e := r.rowError(fmt.Sprintf("%d cells, the header has %d", have, want))
		e.Hint = "a cell that holds the separator needs double quotes around it"
		if have < want {
			e.Hint = "an unknown cell is written as an empty one, with its separator"
		}
		return nil, e
	}
	return cells, nil
}

// Row returns the number of the row last read, from 1.
func (r *Reader) Row() int { return r.row }

// Number reads a cell of the row last read. An empty cell, and NaN, is undefined: ok is false.
func (r *Reader) Number(column int) (value float64, ok bool, err error) {
	text := strings.TrimSpace(r.cells[column])
	if text == "" {
		return 0, false, nil
	}
	value, parseError := strconv.ParseFloat(text, 64)
	switch {
	case parseError == nil && value-value == 0:
		return value, true, nil
	case parseError == nil && value != value:
		return 0, false, nil
	case parseError == nil:
		return 0, false, r.CellError(column, "infinite", "an unknown cell is left empty")
	case errors.Is(parseError, strconv.ErrRange):
		return 0, false, r.CellError(column, "too large for a float64", "an unknown cell is left empty")
	}
	return 0, false, r.CellError(column, "not a number", numberHint(text))
}

// numberHint says how to write what the text seems to mean.
func numberHint(text string) string {
	plain := strings.NewReplacer(",", "", "_", "", " ", "", "$", "", "%", "").Replace(text)
	_, err := strconv.ParseFloat(plain, 64)
	switch {
	case err == nil && strings.HasSuffix(text, "%"):
		return "write 0.025 for 2.5%"
	case err == nil && strings.Contains(text, ",") && !strings.Contains(text, "."):
		return "write 1234.5, with a point and no thousands' separators"
	case err == nil:
		return "write " + plain
	}
	return "write digits such as 1234.5, or leave the cell empty if it is unknown"
}

// CellError makes an error about a cell of the row last read.
func (r *Reader) CellError(column int, is, hint string) *Error {
	line, _ := r.csv.FieldPos(column)
	return &Error{
		File: r.file, Line: line, Row: r.row, Column: column + 1, Header: r.columns[column].Header,
		Message: shown(r.cells[column]) + " is " + is, Hint: hint,
	}
}

func (r *Reader) rowError(message string) *Error {
	line, _ := r.csv.FieldPos(0)
	return &Error{File: r.file, Line: line, Row: r.row, Message: message}
}

func (r *Reader) headerError(column int, message string) *Error {
	e := &Error{File: r.file, Line: 1, Column: column + 1, Message: message}
	if column < len(r.columns) {
		e.Header = r.columns[column].Header
	}
	return e
}

// failure makes an error of one of the reader below.
func (r *Reader) failure(err error) error {
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, errRowTooLong):
		e := &Error{File: r.file, Line: 1 + r.limit.lines, Row: r.row, Message: fmt.Sprintf("the row is longer than %d bytes", RowBytesMax)}
		e.Hint = "is a double quote not closed?"
		return e
	case errors.As(err, &wrong):
		e := &Error{File: r.file, Line: wrong.Line, Row: r.row, Message: wrong.Err.Error()}
		switch {
		case errors.Is(wrong.Err, csv.ErrBareQuote):
			e.Message, e.Hint = fmt.Sprintf("a double quote inside a cell, at byte %d of the line", wrong.Column), `put the cell in double quotes and write "" for each inside`
		case errors.Is(wrong.Err, csv.ErrQuote):
			e.Message, e.Hint = fmt.Sprintf("a quoted cell does not end well, at byte %d of the line", wrong.Column), `close it with a double quote, then the separator`
		}
		return e
	}
	return fmt.Errorf("%s: %w", r.file, err)
}

func number(n int) string { return strconv.Itoa(n) }
