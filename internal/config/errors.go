package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Error is one mistake in a configuration.
type Error struct {
	File    string // as it was opened; empty if the configuration was not read from a file
	Line    int    // from 1; 0 if the configuration was not read from a file
	Column  int    // from 1, in characters
	Length  int    // characters to underline, at least 1, all on Line
	Path    string // the key, such as feeds[1].ring; empty for the whole file
	Message string
	Hint    string // what to do; may be empty

	text string // the line itself
}

// Error returns `file:line:column: message`, on one line, without the hint.
func (e *Error) Error() string {
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
	case e.File != "":
		return e.File + ": " + e.Message
	case e.Path != "":
		return e.Path + ": " + e.Message
	}
	return e.Message
}

// Render returns the error on several lines: what Error says, the line itself, a caret under the place, and the hint.
func (e *Error) Render() string {
	var b strings.Builder
	b.WriteString(e.Error())
	b.WriteByte('\n')
	if e.Line > 0 {
		number := fmt.Sprintf("%5d", e.Line)
		fmt.Fprintf(&b, "%s | %s\n", number, printable(e.text))
		fmt.Fprintf(&b, "%s | %s^%s\n", strings.Repeat(" ", len(number)), e.indent(), strings.Repeat("~", max(e.Length-1, 0)))
	}
	if e.Hint != "" {
		b.WriteString("  hint: " + e.Hint + "\n")
	}
	return b.String()
}

// indent is as wide as what stands before the caret; tabs stay tabs.
func (e *Error) indent() string {
	indent := make([]byte, 0, e.Column)
	for _, r := range e.text {
		if len(indent) >= e.Column-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		indent = append(indent, byte(r))
	}
	for len(indent) < e.Column-1 {
		indent = append(indent, ' ')
	}
	return string(indent)
}

// printable keeps a terminal safe from a file's control characters, one character for one.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError) {
			return '\u00b7'
		}
		return r
	}, line)
}

// Errors is every mistake of a configuration, ordered by place. It is never empty where it is returned as an error.
type Errors []*Error

// Error returns all mistakes on one line.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Render returns all mistakes as Error.Render shows them, an empty line between two.
func (es Errors) Render() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Render()
	}
	return strings.Join(texts, "\n")
}

// sort orders by file in the order first met, then by place.
func (es Errors) sort() {
	var files []string
	for _, e := range es {
		if !slices.Contains(files, e.File) {
			files = append(files, e.File)
		}
	}
	slices.SortStableFunc(es, func(a, b *Error) int {
		if a.File != b.File {
			return slices.Index(files, a.File) - slices.Index(files, b.File)
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}
