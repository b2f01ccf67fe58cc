package venue

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/sigengine/sigengine/feed"
)

// captureLineMax is the longest line: a receive time, a space and a message.
const captureLineMax = 20 + 1 + feed.MessageBytesMax

// Errors of a capture, inside a CaptureError.
var (
	ErrCaptureTime = errors.New("line does not begin with a receive time in nanoseconds and a space")
	ErrCaptureLong = errors.New("line longer than a message may be")
)

// CaptureError says which line of a capture could not be read.
type CaptureError struct {
	Line int // from 1
	Err  error
}

// Error returns the line number and the reason.
func (e *CaptureError) Error() string { return fmt.Sprintf("capture line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *CaptureError) Unwrap() error { return e.Err }

// CaptureReader reads a capture, a line a message:
//
//	<receive time, Unix nanoseconds> <raw message>
//
// Empty lines are passed over. One goroutine.
type CaptureReader struct {
	lines *bufio.Scanner
	line  int
}

// NewCaptureReader returns a reader of r, which it does not close.
func NewCaptureReader(r io.Reader) *CaptureReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), captureLineMax+2) // and a line's end of two bytes
	return &CaptureReader{lines: lines}
}

// Next returns the next message, good until the call after. At the end the error is io.EOF; any other is a
// *CaptureError. A line with a bad time is passed over by the next call; after other errors there is nothing.
func (r *CaptureReader) Next() (receiveNs int64, message []byte, err error) {
	for r.lines.Scan() {
		r.line++
		line := bytes.TrimRight(r.lines.Bytes(), "\r")
		if len(line) == 0 {
			continue
		}
		stamp, message, found := bytes.Cut(line, []byte{' '})
		receiveNs, ok := parseStamp(stamp)
		if !found || !ok {
			return 0, nil, &CaptureError{Line: r.line, Err: ErrCaptureTime}
		}
		return receiveNs, message, nil
	}
	switch err := r.lines.Err(); {
	case err == nil:
		return 0, nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return 0, nil, &CaptureError{Line: r.line + 1, Err: ErrCaptureLong}
	default:
		return 0, nil, &CaptureError{Line: r.line + 1, Err: err}
	}
}

// Line returns the number of the line read last, from 1.
func (r *CaptureReader) Line() int { return r.line }

func parseStamp(text []byte) (int64, bool) {
	if len(text) == 0 || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	ns, err := strconv.ParseUint(string(text), 10, 64)
	return int64(ns), err == nil && ns <= math.MaxInt64
}
