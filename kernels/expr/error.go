package expr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is one mistake in one text.
type Error struct {
	Offset  int    // bytes from the start of the text, 0..len(text)
	Length  int    // bytes, 0 at the end of the text
	Message string // what is wrong
	Hint    string // what to do about it, may be empty
}

// Error returns the message and the hint on one line, without the position.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " (" + e.Hint + ")"
}

// Position returns the line and column, both from 1, of a byte offset; columns count runes.
func Position(source string, offset int) (line, column int) {
	offset = min(max(offset, 0), len(source))
	before := source[:offset]
	line = 1 + strings.Count(before, "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	return line, 1 + utf8.RuneCountInString(before[start:])
}

// renderWidth is how much of a long line Render shows, in runes.
const renderWidth = 100

// Render draws an error under its source line:
//
//	1:5: unknown name "mide"
//	    abs(mide)
//	        ^~~~
//	    hint: did you mean mid?
func Render(source string, e Error) string {
	offset := min(max(e.Offset, 0), len(source))
	line, column := Position(source, offset)
	start := strings.LastIndexByte(source[:offset], '\n') + 1
	end := len(source)
	if i := strings.IndexByte(source[start:], '\n'); i >= 0 {
		end = start + i
	}
	marked := utf8.RuneCountInString(source[offset:min(max(offset+e.Length, offset), end)])
	shown, caretAt := clip([]rune(source[start:end]), column-1)

	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: %s\n    ", line, column, e.Message)
	for _, r := range shown {
		b.WriteRune(printable(r))
	}
	b.WriteString("\n    ")
	b.WriteString(strings.Repeat(" ", caretAt))
	b.WriteByte('^')
	if tail := min(marked, len(shown)-caretAt) - 1; tail > 0 {
		b.WriteString(strings.Repeat("~", tail))
	}
	b.WriteByte('\n')
	if e.Hint != "" {
		b.WriteString("    hint: ")
		b.WriteString(e.Hint)
		b.WriteByte('\n')
	}
	return b.String()
}

// clip cuts a long line to renderWidth runes around the caret and returns the caret's new column, from 0.
func clip(line []rune, caret int) (shown []rune, caretAt int) {
	if len(line) <= renderWidth {
		return line, caret
	}
	from := min(max(caret-renderWidth/2, 0), len(line)-renderWidth)
	shown = append([]rune(nil), line[from:from+renderWidth]...)
	if from > 0 {
		shown[0] = '…'
	}
	if from+renderWidth < len(line) {
		shown[renderWidth-1] = '…'
	}
	return shown, caret - from
}

// printable keeps a terminal safe: control characters become a space or the replacement character.
func printable(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0):
		return utf8.RuneError
	}
	return r
}
