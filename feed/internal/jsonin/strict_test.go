package jsonin

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sigengine/sigengine/feed"
)

var textCases = []struct {
	text string
	want feed.Reject
}{
	{`{}`, feed.RejectNone},
	{`[]`, feed.RejectNone},
	{` { "a" : [ 1 , -2.5e+7 , "x" , true , false , null , { } , [ ] ] } ` + "\r\n\t", feed.RejectNone},
	{`"é\n\u00e9\ud83d\ude00\"\\\/\b\f\r\t"`, feed.RejectNone},
	{`0`, feed.RejectNone},
	{``, feed.RejectTruncated},
	{`  `, feed.RejectTruncated},
	{`{`, feed.RejectTruncated},
	{`{"a`, feed.RejectTruncated},
	{`{"a"`, feed.RejectTruncated},
	{`{"a":`, feed.RejectTruncated},
	{`{"a":1`, feed.RejectTruncated},
	{`{"a":1,`, feed.RejectTruncated},
	{`[1`, feed.RejectTruncated},
	{`[tru`, feed.RejectTruncated},
	{`[-`, feed.RejectTruncated},
	{`"\`, feed.RejectTruncated},
	{`"\u00`, feed.RejectTruncated},
	{`"\ud83d`, feed.RejectTruncated},
	{`{}}`, feed.RejectMalformed},
	{`{} {}`, feed.RejectMalformed},
	{`[1,]`, feed.RejectMalformed},
	{`{"a":1,}`, feed.RejectMalformed},
	{`{a:1}`, feed.RejectMalformed},
	{`{"a" 1}`, feed.RejectMalformed},
	{`{1:1}`, feed.RejectMalformed},
	{`[1}`, feed.RejectMalformed},
	{`{"a":1]`, feed.RejectMalformed},
	{`[01]`, feed.RejectMalformed},
	{`[1.]`, feed.RejectMalformed},
	{`[.5]`, feed.RejectMalformed},
	{`[+1]`, feed.RejectMalformed},
	{`[nan]`, feed.RejectMalformed},
	{`[inf]`, feed.RejectMalformed},
	{`[-inf]`, feed.RejectMalformed},
	{`[0x10]`, feed.RejectMalformed},
	{`[1_000]`, feed.RejectMalformed},
	{`[trux]`, feed.RejectMalformed},
	{`['a']`, feed.RejectMalformed},
	{"[\"\x01\"]", feed.RejectMalformed},
	{"[\x00]", feed.RejectMalformed},
	{"[\u00a01]", feed.RejectMalformed},
	{`["\x"]`, feed.RejectMalformed},
	{`["\u00g0"]`, feed.RejectMalformed},
	{"\xef\xbb\xbf{}", feed.RejectMalformed},
	{"[\"\xff\"]", feed.RejectBadUTF8},
	{"[\"\xc3\"]", feed.RejectBadUTF8},
	{"[\"\xed\xa0\x80\"]", feed.RejectBadUTF8},
	{"[\"\xc0\x80\"]", feed.RejectBadUTF8},
	{`["\ud83d"]`, feed.RejectBadUTF8},
	{`["\ude00"]`, feed.RejectBadUTF8},
	{`["\ud83dx"]`, feed.RejectBadUTF8},
	{`["\ud83d\u0041"]`, feed.RejectBadUTF8},
	{strings.Repeat("[", 64) + strings.Repeat("]", 64), feed.RejectNone},
	{strings.Repeat("[", 65) + strings.Repeat("]", 65), feed.RejectTooDeep},
	{strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), feed.RejectTooDeep},
	{strings.Repeat("[", 1<<20), feed.RejectTooDeep},
}

func TestStrict(t *testing.T) {
	for _, c := range textCases {
		if got := strict([]byte(c.text)); got != c.want {
			t.Errorf("%.60q: got %v, want %v", c.text, got, c.want)
		}
	}
}

// checkText holds strict and Reader.Parse against encoding/json.
func checkText(t testing.TB, text []byte) {
	t.Helper()
	why := strict(text)
	switch valid := json.Valid(text); {
	case why == feed.RejectNone && !(valid && utf8.Valid(text)):
		t.Fatalf("%q: accepted, but encoding/json or unicode/utf8 does not", text)
	case valid && why != feed.RejectNone && why != feed.RejectBadUTF8 && why != feed.RejectTooDeep:
		t.Fatalf("%q: valid JSON, but %v", text, why)
	case valid && utf8.Valid(text) && why == feed.RejectBadUTF8 && !bytes.Contains(text, []byte(`\u`)):
		t.Fatalf("%q: valid UTF-8, but %v", text, why)
	}
	var reader Reader
	root, parsed := reader.Parse(bytes.Clone(text))
	accepted := parsed == feed.RejectNone && reader.Check(root)
	if len(text) <= feed.MessageBytesMax && accepted != (why == feed.RejectNone) {
		t.Fatalf("%q: reader says %v (accepted %t), strict says %v", text, parsed, accepted, why)
	}
}

func TestReaderAgreesWithStrict(t *testing.T) {
	for _, c := range textCases {
		checkText(t, []byte(c.text))
		checkText(t, []byte(`{"a":"b\n","c":`+c.text+`}`))
		checkText(t, []byte(`{"nested":{"list":[`+c.text+`]}}`))
		if len(c.text) < 1000 {
			checkText(t, []byte(`[`+c.text+strings.Repeat(" ", shortBytes)+`]`))
		}
	}
}

func FuzzText(f *testing.F) {
	for _, c := range textCases {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkText(t, text) })
}
