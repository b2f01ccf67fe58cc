package table

import (
	"bytes"
	"errors"
	"io"
)

var errRowTooLong = errors.New("table: row too long")

// rowBudget is what may be read for one row: its bytes, and what the reader above reads ahead.
const rowBudget = RowBytesMax + 1<<12

// limitedReader fails when a row takes more than its budget, so that a quote that is never closed cannot fill memory.
type limitedReader struct {
	in    io.Reader
	left  int
	lines int // line ends passed on
}

// Read reads no more than is left.
func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRowTooLong
	}
	n, err := l.in.Read(p[:min(len(p), l.left)])
	l.left -= n
	l.lines += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}
