package table

import (
	"fmt"
	"strconv"
	"strings"
)

// Error is a mistake in a table.
type Error struct {
	File    string
	Line    int    // from 1; 0: the table as a whole
	Row     int    // of data, from 1; 0: the header
	Column  int    // from 1; 0: the row as a whole
	Header  string // of the column
	Message string
	Hint    string // what to do, may be empty
}

// Error returns one line: where, what, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Row > 0 {
		fmt.Fprintf(&b, "row %d", e.Row)
	} else if e.Line > 0 {
		b.WriteString("header")
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ", column %d", e.Column)
		if e.Header != "" {
			fmt.Fprintf(&b, " (%s)", shown(e.Header))
		}
	}
	if e.Line > 0 {
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

const shownRunes = 40

// shown is a cell as messages show it: control characters escaped, and no more than is needed to find it.
func shown(text string) string {
	quoted := strconv.Quote(text)
	if runes := []rune(quoted); len(runes) > shownRunes {
		return string(runes[:shownRunes]) + `…"`
	}
	return quoted
}
