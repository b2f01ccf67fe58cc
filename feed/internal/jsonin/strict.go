package jsonin

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sigengine/sigengine/feed"
)

// checker walks a message once by the grammar of RFC 8259 and holds a bit for each open array or object.
type checker struct {
	text    []byte
	at      int
	objects uint64 // bit n: level n is an object
	depth   int
}

// strict returns RejectNone if message is one JSON value in valid UTF-8, no deeper than feed.DepthMax.
func strict(message []byte) feed.Reject {
	c := checker{text: message}
	for {
		opened, why := c.value()
		if why != feed.RejectNone {
			return why
		}
		if opened {
			continue
		}
		done, why := c.after()
		if done || why != feed.RejectNone {
			return why
		}
	}
}

// value reads a value, or the beginning of an array or object up to where its first value has to stand.
func (c *checker) value() (opened bool, why feed.Reject) {
	c.space()
	switch c.peek() {
	case 0:
		return false, c.unexpected()
	case '{':
		return c.open(1, '}')
	case '[':
		return c.open(0, ']')
	case '"':
		return false, c.str()
	case 't':
		return false, c.literal("true")
	case 'f':
		return false, c.literal("false")
	case 'n':
		return false, c.literal("null")
	}
	return false, c.number()
}

// open enters an array or object. An empty one is left at once and counts as a value.
func (c *checker) open(object uint64, closer byte) (opened bool, why feed.Reject) {
	if c.depth == feed.DepthMax {
		return false, feed.RejectTooDeep
	}
	c.at++
	c.space()
	if c.peek() == closer {
		c.at++
		return false, feed.RejectNone
	}
	bit := uint64(1) << c.depth
	c.objects = c.objects&^bit | object<<c.depth
	c.depth++
	if object != 0 {
		return true, c.key()
	}
	return true, feed.RejectNone
}

// after reads what follows a value: commas and closers, to where the next value has to stand or the end.
func (c *checker) after() (done bool, why feed.Reject) {
	for {
		c.space()
		if c.depth == 0 {
			if c.at != len(c.text) {
				return true, feed.RejectMalformed
			}
			return true, feed.RejectNone
		}
		object := c.objects>>(c.depth-1)&1 != 0
		closer := byte(']')
		if object {
			closer = '}'
		}
		switch c.peek() {
		case ',':
			c.at++
			if object {
				return false, c.key()
			}
			return false, feed.RejectNone
		case closer:
			c.at++
			c.depth--
		default:
			return false, c.unexpected()
		}
	}
}

// key reads a member's name and its colon.
func (c *checker) key() feed.Reject {
	c.space()
	if c.peek() != '"' {
		return c.unexpected()
	}
	if why := c.str(); why != feed.RejectNone {
		return why
	}
	c.space()
	if c.peek() != ':' {
		return c.unexpected()
	}
	c.at++
	return feed.RejectNone
}

// str reads a string with its quotes.
func (c *checker) str() feed.Reject {
	c.at++
	for c.at < len(c.text) {
		b := c.text[c.at]
		switch {
		case b == '"':
			c.at++
			return feed.RejectNone
		case b == '\\':
			if why := c.escape(); why != feed.RejectNone {
				return why
			}
		case b < 0x20:
			return feed.RejectMalformed
		case b < utf8.RuneSelf:
			c.at++
		default:
			r, size := utf8.DecodeRune(c.text[c.at:])
			if r == utf8.RuneError && size == 1 {
				return feed.RejectBadUTF8
			}
			c.at += size
		}
	}
	return feed.RejectTruncated
}

// escape reads a backslash and what it escapes. Surrogates must come in pairs.
func (c *checker) escape() feed.Reject {
	if c.at+1 == len(c.text) {
		return feed.RejectTruncated
	}
	switch c.text[c.at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.at += 2
		return feed.RejectNone
	case 'u':
	default:
		return feed.RejectMalformed
	}
	first, why := c.unit()
	if why != feed.RejectNone || !utf16.IsSurrogate(first) {
		return why
	}
	for i, want := range []byte{'\\', 'u'} {
		if c.at+i == len(c.text) {
			return feed.RejectTruncated
		}
		if c.text[c.at+i] != want {
			return feed.RejectBadUTF8
		}
	}
	second, why := c.unit()
	if why == feed.RejectNone && utf16.DecodeRune(first, second) == utf8.RuneError {
		return feed.RejectBadUTF8
	}
	return why
}

// unit reads \uXXXX.
func (c *checker) unit() (rune, feed.Reject) {
	var unit rune
	for i := c.at + 2; i < c.at+6; i++ {
		if i >= len(c.text) {
			return 0, feed.RejectTruncated
		}
		digit := hexDigit(c.text[i])
		if digit < 0 {
			return 0, feed.RejectMalformed
		}
		unit = unit<<4 | digit
	}
	c.at += 6
	return unit, feed.RejectNone
}

func hexDigit(b byte) rune {
	switch {
	case b-'0' <= 9:
		return rune(b - '0')
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		return rune(b|0x20-'a') + 10
	}
	return -1
}

func (c *checker) literal(word string) feed.Reject {
	for i := range len(word) {
		if c.at == len(c.text) {
			return feed.RejectTruncated
		}
		if c.text[c.at] != word[i] {
			return feed.RejectMalformed
		}
		c.at++
	}
	return feed.RejectNone
}

func (c *checker) number() feed.Reject {
	start := c.at
	for c.at < len(c.text) && numberByte(c.text[c.at]) {
		c.at++
	}
	if isNumber(c.text[start:c.at]) {
		return feed.RejectNone
	}
	if c.at == len(c.text) && c.at > start {
		return feed.RejectTruncated
	}
	return feed.RejectMalformed
}

func numberByte(b byte) bool {
	return b-'0' <= 9 || b == '-' || b == '+' || b == '.' || b|0x20 == 'e'
}

func (c *checker) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end; a zero byte is wrong wherever peek is used.
func (c *checker) peek() byte {
	if c.at == len(c.text) {
		return 0
	}
	return c.text[c.at]
}

func (c *checker) unexpected() feed.Reject {
	if c.at == len(c.text) {
		return feed.RejectTruncated
	}
	return feed.RejectMalformed
}
