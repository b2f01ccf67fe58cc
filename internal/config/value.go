package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sigengine/sigengine/kernels/expr"
	"go.yaml.in/yaml/v3"
)

// value is a key's value, bound to a field.
type value interface {
	// decode stores what the node says, or reports why it cannot. It does not check ranges.
	decode(d *decoder, path string, n *yaml.Node)
	// check reports what is wrong with what is stored.
	check(r *report, path string)
	// encode returns what is stored, nil if the key is better left out.
	encode() *yaml.Node
	// describe says what may be written, for the documentation.
	describe() string
}

// scalar is a value of one word: parse and format convert it, verify judges it. Both return what is wrong, as the end of a
// sentence that begins with the key, and a hint.
type scalar struct {
	parse    func(n *yaml.Node) (wrong, hint string)
	verify   func() (wrong, hint string)
	format   func() string // empty: leave the key out
	what     string
	tag      string // of the node that encode makes
	isNeeded bool
}

// numberTag stands for the tag of an integer or of another number, whichever the text is.
const numberTag = "!!number"

func (s *scalar) describe() string { return s.what }

func (s *scalar) decode(d *decoder, path string, n *yaml.Node) {
	if !d.plainValue(path, n, yaml.ScalarNode, s.what) {
		return
	}
	if wrong, hint := s.parse(n); wrong != "" {
		d.fail(path, wrong, hint)
	}
}

func (s *scalar) check(r *report, path string) {
	if text := s.format(); s.isNeeded && (text == "" || text == "0" && s.tag == "!!int") {
		r.add(path, "is missing", "add the key `"+lastName(path)+"`: "+s.what)
		return
	}
	if s.verify == nil {
		return
	}
	if wrong, hint := s.verify(); wrong != "" {
		r.add(path, wrong, hint)
	}
}

func (s *scalar) encode() *yaml.Node {
	text := s.format()
	if text == "" {
		return nil
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: s.tag, Value: text}
	if s.tag == numberTag {
		n.Tag = "!!float"
		if !strings.ContainsAny(text, ".e") {
			n.Tag = "!!int"
		}
	}
	if s.tag == "!!str" && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// required makes a key that must be given.
func required(s *scalar) *scalar {
	s.isNeeded = true
	return s
}

func integer(field *int, least, most int) *scalar {
	what := fmt.Sprintf("an integer, %d to %d", least, most)
	if least == most {
		what = strconv.Itoa(least)
	}
	return &scalar{
		what: what, tag: "!!int",
		parse:  func(n *yaml.Node) (string, string) { return parseInteger(n, field) },
		format: func() string { return strconv.Itoa(*field) },
		verify: func() (string, string) {
			if *field < least || *field > most {
				return fmt.Sprintf("is %d", *field), "want " + what
			}
			return "", ""
		},
	}
}

func parseInteger(n *yaml.Node, field *int) (wrong, hint string) {
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil || n.Style != 0 {
		return "is not an integer", "write digits only, without quotes, such as 4096"
	}
	*field = int(v)
	return "", ""
}

func powerOfTwo(field *int, least, most int) *scalar {
	s := integer(field, least, most)
	s.what = fmt.Sprintf("a power of two, %d to %d", least, most)
	inRange := s.verify
	s.verify = func() (string, string) {
		if wrong, _ := inRange(); wrong != "" {
			return wrong, "want " + s.what
		}
		if v := *field; v&(v-1) != 0 {
			below := least
			for below*2 < v {
				below *= 2
			}
			return fmt.Sprintf("is %d, not a power of two", v), fmt.Sprintf("the nearest are %d and %d", below, below*2)
		}
		return "", ""
	}
	return s
}

func duration(field *time.Duration, least, most time.Duration) *scalar {
	return quantity((*int64)(field), durationUnits, int64(least), int64(most), "duration", durationHint)
}

func size(field *int64, least, most int64) *scalar {
	return quantity(field, sizeUnits, least, most, "size", sizeHint)
}

// quantity is a number with a unit.
func quantity(field *int64, units []unit, least, most int64, kind, hint string) *scalar {
	what := fmt.Sprintf("a %s, %s to %s", kind, formatUnit(least, units), formatUnit(most, units))
	return &scalar{
		what: what, tag: "!!str",
		parse: func(n *yaml.Node) (string, string) {
			v, wrong := parseUnit(n.Value, units)
			if wrong != "" {
				return wrong, hint
			}
			*field = v
			return "", ""
		},
		format: func() string { return formatUnit(*field, units) },
		verify: func() (string, string) {
			if *field < least || *field > most {
				return "is " + formatUnit(*field, units), "want " + what
			}
			return "", ""
		},
	}
}

func sizeOrAuto(field *int64, least, most int64) *scalar {
	s := size(field, least, most)
	s.what = "`auto` or " + s.what
	parse, format, verify := s.parse, s.format, s.verify
	s.parse = func(n *yaml.Node) (string, string) {
		if n.Value == "auto" {
			*field = 0
			return "", ""
		}
		if wrong, hint := parse(n); wrong != "" || *field != 0 {
			return wrong, hint
		}
		*field = -1 // a zero in the file is not the zero that stands for auto; verify refuses it
		return "", ""
	}
	s.format = func() string {
		if *field == 0 {
			return "auto"
		}
		return format()
	}
	s.verify = func() (string, string) {
		if *field == 0 {
			return "", ""
		}
		if *field < 0 {
			return "is 0", "want " + s.what
		}
		return verify()
	}
	return s
}

// choice is one of a few words.
func choice[T ~string](field *T, options ...T) *scalar {
	words := make([]string, len(options))
	for i, o := range options {
		words[i] = string(o)
	}
	what := "`" + strings.Join(words, "`, `") + "`"
	known := func(word string) bool {
		for _, w := range words {
			if w == word {
				return true
			}
		}
		return false
	}
	return &scalar{
		what: what, tag: "!!str",
		parse:  func(n *yaml.Node) (string, string) { *field = T(n.Value); return "", "" },
		format: func() string { return string(*field) },
		verify: func() (string, string) {
			if known(string(*field)) {
				return "", ""
			}
			hint := "want one of " + strings.Join(words, ", ")
			if near := nearest(string(*field), words); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return "is " + strconv.Quote(string(*field)), hint
		},
	}
}

// text is free text on one line; empty means not given.
func text(field *string, what string) *scalar {
	return &scalar{
		what: what, tag: "!!str",
		parse: func(n *yaml.Node) (string, string) {
			if n.Tag != "!!str" {
				return "is not text", "put it in quotes: " + strconv.Quote(n.Value)
			}
			*field = n.Value
			return "", ""
		},
		format: func() string { return *field },
		verify: func() (string, string) { return verifyText(*field, 4096, false) },
	}
}

// named is text of a given form.
func named(field *string, form *regexp.Regexp, what string) *scalar {
	s := text(field, what)
	s.verify = func() (string, string) {
		if !form.MatchString(*field) {
			return "is " + strconv.Quote(*field), "want " + what
		}
		return "", ""
	}
	return s
}

// optionalNamed is named, or empty.
func optionalNamed(field *string, form *regexp.Regexp, what string) *scalar {
	s := named(field, form, what)
	verify := s.verify
	s.verify = func() (string, string) {
		if *field == "" {
			return "", ""
		}
		return verify()
	}
	return s
}

// expressionBytesMax bounds an expression's text.
const expressionBytesMax = expr.MaxSourceBytes

// expression is text that may look like a number or a truth value, on several lines.
func expression(field *string) *scalar {
	return &scalar{
		what: expressionNote, tag: "!!str",
		parse:  func(n *yaml.Node) (string, string) { *field = n.Value; return "", "" },
		format: func() string { return *field },
		verify: func() (string, string) { return verifyText(*field, expressionBytesMax, true) },
	}
}

func verifyText(text string, bytesMax int, linesAllowed bool) (wrong, hint string) {
	switch {
	case len(text) > bytesMax:
		return fmt.Sprintf("is longer than %d bytes", bytesMax), ""
	case !utf8.ValidString(text):
		return "is not valid UTF-8", ""
	case !linesAllowed && strings.ContainsAny(text, "\n\r\x00"):
		return "has a line break in it", ""
	}
	return "", ""
}
