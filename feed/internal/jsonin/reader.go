package jsonin

import (
	"github.com/valyala/fastjson"

	"github.com/sigengine/sigengine/feed"
)

const (
	shortBytes = 4 << 10 // a message up to this long is parsed without the strict check if it is plain
	renewBytes = 4 << 20 // total of longer messages after which the parser's memory is given back
)

// Reader parses messages and reads their values. The zero value is ready. One goroutine.
type Reader struct {
	parser  fastjson.Parser
	spent   int    // bytes of messages longer than shortBytes since the parser was new
	checked bool   // the strict check passed the current message: its numbers are JSON numbers
	scratch []byte // a number's text
	fine    bool   // of the current Check
	visit   func(key []byte, value *fastjson.Value)
}

// Parse returns the root of message, or why there is none. The value is good until the next Parse.
func (r *Reader) Parse(message []byte) (*fastjson.Value, feed.Reject) {
	if len(message) > feed.MessageBytesMax {
		return nil, feed.RejectTooLarge
	}
	plain, openers := inspect(message)
	r.checked = !plain || openers > feed.DepthMax || len(message) > shortBytes
	if r.checked {
		if why := strict(message); why != feed.RejectNone {
			return nil, why
		}
	}
	r.renew(len(message))
	root, err := r.parser.ParseBytes(message)
	if err != nil {
		if why := strict(message); why != feed.RejectNone {
			return nil, why
		}
		return nil, feed.RejectMalformed
	}
	return root, feed.RejectNone
}

// renew bounds the parser's memory. Each of its values keeps room for the largest object or array it ever
// was, so messages of ever different shape could make it grow without end.
func (r *Reader) renew(messageBytes int) {
	if messageBytes <= shortBytes {
		return
	}
	r.spent += messageBytes
	if r.spent > renewBytes {
		r.parser = fastjson.Parser{}
		r.spent = messageBytes
	}
}

// Number reads a number, bare or in a string, as ParseFloat does.
func (r *Reader) Number(value *fastjson.Value) (float64, feed.Reject) {
	switch value.Type() {
	case fastjson.TypeNumber:
		text := r.text(value)
		number, why := ParseFloat(text)
		if why == feed.RejectBadNumber {
			why = feed.RejectMalformed // not JSON either
		}
		return number, why
	case fastjson.TypeString:
		text, _ := value.StringBytes()
		return ParseFloat(text)
	}
	return 0, feed.RejectWrongType
}

// Uint reads an integer, bare or in a string, as ParseUint does.
func (r *Reader) Uint(value *fastjson.Value) (uint64, feed.Reject) {
	switch value.Type() {
	case fastjson.TypeNumber:
		text := r.text(value)
		number, why := ParseUint(text)
		if why != feed.RejectNone && !isNumber(text) {
			why = feed.RejectMalformed
		}
		return number, why
	case fastjson.TypeString:
		text, _ := value.StringBytes()
		return ParseUint(text)
	}
	return 0, feed.RejectWrongType
}

// text returns a number's own text, which fastjson gives out only by marshalling. Good until the next call.
func (r *Reader) text(number *fastjson.Value) []byte {
	r.scratch = number.MarshalTo(r.scratch[:0])
	return r.scratch
}

// Text reads a string. The bytes are good until the next Parse.
func Text(value *fastjson.Value) ([]byte, feed.Reject) {
	if value.Type() != fastjson.TypeString {
		return nil, feed.RejectWrongType
	}
	text, _ := value.StringBytes()
	return text, feed.RejectNone
}

// Bool reads true or false.
func Bool(value *fastjson.Value) (bool, feed.Reject) {
	switch value.Type() {
	case fastjson.TypeTrue:
		return true, feed.RejectNone
	case fastjson.TypeFalse:
		return false, feed.RejectNone
	}
	return false, feed.RejectWrongType
}

// Check reports whether every number in a value that nobody reads is one by JSON's grammar.
func (r *Reader) Check(value *fastjson.Value) bool {
	if r.checked {
		return true
	}
	r.fine = true
	r.check(value)
	return r.fine
}

func (r *Reader) check(value *fastjson.Value) {
	switch value.Type() {
	case fastjson.TypeNumber:
		if !isNumber(r.text(value)) {
			r.fine = false
		}
	case fastjson.TypeArray:
		for _, element := range value.GetArray() {
			r.check(element)
		}
	case fastjson.TypeObject:
		if r.visit == nil {
			r.visit = func(_ []byte, member *fastjson.Value) { r.check(member) }
		}
		value.GetObject().Visit(r.visit)
	}
}
