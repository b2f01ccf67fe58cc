package config

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// source is one file as the YAML reader saw it. Positions are lines and columns from 1, columns in characters, as in yaml.Node.
type source struct {
	name  string
	lines []string // without their line breaks
}

// origin is where a value was written.
type origin struct {
	src  *source
	node *yaml.Node
}

// position is a place in a source; the zero value is nowhere.
type position struct{ line, column int }

func newSource(name string, data []byte) *source {
	return &source{name: name, lines: splitLines(string(bytes.TrimPrefix(data, []byte("\ufeff"))))}
}

// splitLines breaks where the YAML reader counts a line: after CR LF, CR, LF, NEL, LS and PS.
func splitLines(text string) []string {
	var lines []string
	start := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '\r' && strings.HasPrefix(text[i+1:], "\n") {
			size = 2
		}
		if isBreak(r) {
			lines = append(lines, text[start:i])
			start = i + size
		}
		i += size
	}
	return append(lines, text[start:])
}

func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// line returns the text of a line, empty if there is none.
func (s *source) line(number int) string {
	if number < 1 || number > len(s.lines) {
		return ""
	}
	return s.lines[number-1]
}

// errorAt makes an error at a place; length is cut at the end of the line.
func (s *source) errorAt(at position, length int, message, hint string) *Error {
	text := s.line(at.line)
	length = min(length, utf8.RuneCountInString(text)-at.column+1)
	return &Error{
		File: s.name, Line: at.line, Column: at.column, Length: max(length, 1),
		Message: message, Hint: hint, text: withoutSecrets(text),
	}
}

var urlSecret = regexp.MustCompile(`://[^@\s"']+@`)

// withoutSecrets covers what stands before the @ of a URL, character for character.
func withoutSecrets(line string) string {
	return urlSecret.ReplaceAllStringFunc(line, func(found string) string {
		return "://" + strings.Repeat("*", utf8.RuneCountInString(found)-len("://@")) + "@"
	})
}

// errorAtLine makes an error about a whole line.
func (s *source) errorAtLine(number int, message, hint string) *Error {
	number = min(max(number, 1), len(s.lines))
	text := s.line(number)
	trimmed := strings.TrimLeft(text, " \t")
	column := utf8.RuneCountInString(text[:len(text)-len(trimmed)]) + 1
	return s.errorAt(position{number, column}, utf8.RuneCountInString(strings.TrimRight(trimmed, " \t")), message, hint)
}

// errorAtNode makes an error about a value: the whole of a scalar's first line, else its first character.
func (s *source) errorAtNode(n *yaml.Node, message, hint string) *Error {
	return s.errorAt(position{n.Line, n.Column}, s.length(n), message, hint)
}

// length returns how many characters of its first line a node takes.
func (s *source) length(n *yaml.Node) int {
	if n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return 1
	}
	places := s.scalarPlaces(n)
	if len(places) == 0 {
		return max(utf8.RuneCountInString(n.Value), 1)
	}
	end := places[len(places)-1]
	if end.line != n.Line {
		return utf8.RuneCountInString(s.line(n.Line)) - n.Column + 1
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		end.column++ // the closing quote
	}
	return end.column - n.Column
}

// errorInScalar makes an error about bytes of a scalar's value. Where the value cannot be traced to the file it points at the
// whole scalar, and says so by covering it.
func (s *source) errorInScalar(n *yaml.Node, offset, length int, message, hint string) *Error {
	places := s.scalarPlaces(n)
	if places == nil || offset < 0 || offset >= len(places) {
		return s.errorAtNode(n, message, hint)
	}
	from := places[offset]
	to := places[min(offset+max(length, 1), len(places)-1)]
	columns := to.column - from.column
	if to.line != from.line {
		columns = utf8.RuneCountInString(s.line(from.line)) - from.column + 1
	}
	return s.errorAt(from, columns, message, hint)
}
