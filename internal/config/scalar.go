package config

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// scalarPlaces returns, for every byte of a scalar's value, the place of the character in the file that it came from, and one
// place more for the end. It reads the raw text by the rules of the scalar's style (YAML 1.2, chapters 7.3 and 8.1) and returns
// nil unless it arrives at exactly the value that the YAML reader found, so a place is never wrong, only absent.
func (s *source) scalarPlaces(n *yaml.Node) []position {
	if n.Kind != yaml.ScalarNode || n.Line < 1 || n.Line > len(s.lines) || n.Style&yaml.TaggedStyle != 0 {
		return nil
	}
	switch n.Style {
	case yaml.DoubleQuotedStyle:
		return s.trace(n, func(t *tracer) { t.quoted('"') })
	case yaml.SingleQuotedStyle:
		return s.trace(n, func(t *tracer) { t.quoted('\'') })
	case yaml.LiteralStyle, yaml.FoldedStyle:
		// A header with a digit says the indentation relative to a parent that a scalar does not know: try all there can be.
		for indent := s.blockIndent(n.Line); indent >= 0; indent-- {
			if places := s.trace(n, func(t *tracer) { t.block(indent, n.Style == yaml.FoldedStyle) }); places != nil {
				return places
			}
		}
		return nil
	}
	return s.trace(n, (*tracer).plain)
}

// trace reads the scalar by one style.
func (s *source) trace(n *yaml.Node, read func(*tracer)) []position {
	t := &tracer{src: s, at: position{n.Line, n.Column}, rest: skipRunes(s.line(n.Line), n.Column-1), want: len(n.Value)}
	read(t)
	if string(t.value) != n.Value {
		return nil
	}
	return append(t.places, t.at)
}

func skipRunes(text string, count int) string {
	for range count {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text
}

// tracer reads a scalar from its source. It stops once it has `want` bytes.
type tracer struct {
	src    *source
	at     position // of the next character
	rest   string   // the rest of its line
	want   int
	value  []byte
	places []position // one for each byte of value
}

func (t *tracer) done() bool { return len(t.value) >= t.want }

// emit adds text to the value as coming from one place.
func (t *tracer) emit(text string, from position) {
	t.value = append(t.value, text...)
	for range len(text) {
		t.places = append(t.places, from)
	}
}

// take consumes one character of the line.
func (t *tracer) take() string {
	_, size := utf8.DecodeRuneInString(t.rest)
	text := t.rest[:size]
	t.rest = t.rest[size:]
	t.at.column++
	return text
}

// copyOne copies one character of the line.
func (t *tracer) copyOne() {
	from := t.at
	t.emit(t.take(), from)
}

// nextLine goes to the start of the next line; false at the end of the file.
func (t *tracer) nextLine() bool {
	if t.at.line >= len(t.src.lines) {
		return false
	}
	t.at = position{t.at.line + 1, 1}
	t.rest = t.src.line(t.at.line)
	return true
}

func (t *tracer) skipBlanks() {
	for strings.HasPrefix(t.rest, " ") || strings.HasPrefix(t.rest, "\t") {
		t.take()
	}
}

// atLineEnd reports whether only blanks are left on the line.
func (t *tracer) atLineEnd() bool { return strings.Trim(t.rest, " \t") == "" }

// fold consumes a line break inside a flow scalar, with the blanks around it: one break is a space, more are one newline less
// than there are breaks.
func (t *tracer) fold() bool {
	from := t.at
	for breaks := 0; ; breaks++ {
		if breaks > 0 && !t.atLineEnd() {
			t.skipBlanks()
			if breaks == 1 {
				t.emit(" ", from)
			} else {
				t.emit(strings.Repeat("\n", breaks-1), from)
			}
			return true
		}
		if !t.nextLine() {
			return false
		}
	}
}

func (t *tracer) plain() {
	for !t.done() {
		if !t.atLineEnd() {
			t.copyOne()
		} else if !t.fold() {
			return
		}
	}
}

func (t *tracer) quoted(quote byte) {
	t.take() // the opening quote
	for !t.done() {
		switch {
		case t.atLineEnd():
			if !t.fold() {
				return
			}
		case quote == '\'' && strings.HasPrefix(t.rest, "''"):
			from := t.at
			t.take()
			t.emit(t.take(), from)
		case quote == '"' && t.rest == `\`:
			if !t.joinLines() {
				return
			}
		case quote == '"' && t.rest[0] == '\\':
			if !t.escape() {
				return
			}
		case t.rest[0] == quote:
			return
		default:
			t.copyOne()
		}
	}
}

// joinLines consumes an escaped line break: nothing of it, nor the blanks that follow, is in the value; empty lines are.
func (t *tracer) joinLines() bool {
	from := t.at
	for breaks := 0; ; breaks++ {
		if !t.nextLine() {
			return false
		}
		if !t.atLineEnd() {
			t.skipBlanks()
			t.emit(strings.Repeat("\n", breaks), from)
			return true
		}
	}
}

// escapes are those of one character; x, u and U take digits.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029", '\'': "'",
}

func (t *tracer) escape() bool {
	from := t.at
	t.take()
	code := t.take()[0]
	if text, ok := escapes[code]; ok {
		t.emit(text, from)
		return true
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[code]
	if digits == 0 || len(t.rest) < digits {
		return false
	}
	var r rune
	for range digits {
		r = r<<4 | rune(strings.IndexByte("0123456789abcdef", t.take()[0]|0x20))
	}
	t.emit(string(r), from)
	return true
}

// block reads a literal or folded scalar, whose header is at the tracer.
func (t *tracer) block(indent int, folded bool) {
	previous := lineEmpty // of the lines with text so far
	var breaks int        // since the last line with text
	end := t.at           // of the text so far
	for !t.done() && t.nextLine() {
		for strings.HasPrefix(t.rest, " ") && t.at.column <= indent {
			t.take()
		}
		if t.rest == "" {
			breaks++
			continue
		}
		if t.at.column <= indent {
			break // what follows the scalar
		}
		current := lineFlush
		if t.rest[0] == ' ' || t.rest[0] == '\t' {
			current = lineIndented
		}
		t.breakLines(breaks, folded && previous == lineFlush && current == lineFlush, previous == lineEmpty)
		for t.rest != "" && !t.done() {
			t.copyOne()
		}
		previous, breaks, end = current, 0, t.at
	}
	t.at = end
	// Chomping: the breaks after the text. The value says how many were kept.
	for !t.done() && len(t.value)+breaks+1 >= t.want {
		t.emit("\n", t.at)
	}
}

// The kinds of line that folding distinguishes.
const (
	lineEmpty    = iota // none yet
	lineFlush           // begins at the indentation
	lineIndented        // begins with a blank beyond it
)

// breakLines emits what stands between two lines of text with that many empty lines between them.
func (t *tracer) breakLines(empty int, fold, first bool) {
	end := position{t.at.line, 1}
	switch {
	case first:
		t.emit(strings.Repeat("\n", empty), end)
	case fold && empty == 0:
		t.emit(" ", end)
	case fold:
		t.emit(strings.Repeat("\n", empty), end)
	default:
		t.emit(strings.Repeat("\n", empty+1), end)
	}
}

// blockIndent returns how many blanks begin the first line with text after a block scalar's header.
func (s *source) blockIndent(header int) int {
	for number := header + 1; number <= len(s.lines); number++ {
		line := s.line(number)
		if text := strings.TrimLeft(line, " "); text != "" {
			return len(line) - len(text)
		}
	}
	return 0
}
