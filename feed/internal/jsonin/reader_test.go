package jsonin

import (
	"bytes"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

func TestInspectEqualsByteByByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]byte{0, 1, 0x1f, ' ', '!', '"', '[', '\\', ']', '{', '|', '}', 0x7f, 0x80, 0xdb, 0xff, 'a', '0'})
		text := rapid.SliceOfN(rapid.OneOf(alphabet, rapid.Byte()), 0, 40).Draw(t, "text")
		plain, openers := true, 0
		for _, b := range text {
			if b < 0x20 || b == '\\' || b > 0x7f {
				plain = false
			}
			if b == '[' || b == '{' {
				openers++
			}
		}
		gotPlain, gotOpeners := inspect(text)
		if gotPlain != plain || gotOpeners != openers {
			t.Fatalf("%q: got %t %d, want %t %d", text, gotPlain, gotOpeners, plain, openers)
		}
	})
}

func TestReaderReads(t *testing.T) {
	var r Reader
	root, why := r.Parse([]byte(`{"n":1.5,"s":"2.5e1","u":18446744073709551615,"us":"9007199254740993","t":"a\u00e9","b":true,"f":false,"z":null,"bad":"x","big":1e400,"real":1.5}`))
	if why != feed.RejectNone {
		t.Fatal(why)
	}
	if n, why := r.Number(root.Get("n")); n != 1.5 || why != feed.RejectNone {
		t.Error(n, why)
	}
	if n, why := r.Number(root.Get("s")); n != 25 || why != feed.RejectNone {
		t.Error(n, why)
	}
	if u, why := r.Uint(root.Get("u")); u != 1<<64-1 || why != feed.RejectNone {
		t.Error(u, why)
	}
	if u, why := r.Uint(root.Get("us")); u != 1<<53+1 || why != feed.RejectNone {
		t.Error(u, why)
	}
	if s, why := Text(root.Get("t")); string(s) != "aé" || why != feed.RejectNone {
		t.Error(s, why)
	}
	if b, why := Bool(root.Get("b")); !b || why != feed.RejectNone {
		t.Error(b, why)
	}
	if b, why := Bool(root.Get("f")); b || why != feed.RejectNone {
		t.Error(b, why)
	}
	for field, want := range map[string]feed.Reject{"bad": feed.RejectBadNumber, "big": feed.RejectNotFinite, "z": feed.RejectWrongType, "b": feed.RejectWrongType} {
		if _, why := r.Number(root.Get(field)); why != want {
			t.Errorf("number %s: %v, want %v", field, why, want)
		}
	}
	for field, want := range map[string]feed.Reject{"bad": feed.RejectBadNumber, "real": feed.RejectBadNumber, "z": feed.RejectWrongType} {
		if _, why := r.Uint(root.Get(field)); why != want {
			t.Errorf("uint %s: %v, want %v", field, why, want)
		}
	}
	if _, why := Text(root.Get("n")); why != feed.RejectWrongType {
		t.Error(why)
	}
	if _, why := Bool(root.Get("s")); why != feed.RejectWrongType {
		t.Error(why)
	}
}

// fastjson takes these for numbers; they are not JSON.
func TestReaderBareNumberThatIsNone(t *testing.T) {
	for _, text := range []string{"01", "1.", ".5", "1-2", "1e", "nan", "NaN", "inf", "-inf", "--1"} {
		var r Reader
		root, why := r.Parse([]byte(`{"n":` + text + `}`))
		if why != feed.RejectNone {
			continue // caught by the parser already
		}
		if _, why := r.Number(root.Get("n")); why != feed.RejectMalformed {
			t.Errorf("%s: number %v", text, why)
		}
		if _, why := r.Uint(root.Get("n")); why != feed.RejectMalformed {
			t.Errorf("%s: uint %v", text, why)
		}
		if r.Check(root) {
			t.Errorf("%s: passes Check", text)
		}
	}
}

func TestReaderBounds(t *testing.T) {
	var r Reader
	message := []byte(`"` + strings.Repeat("x", feed.MessageBytesMax-2) + `"`)
	if _, why := r.Parse(message); why != feed.RejectNone {
		t.Errorf("1 MiB: %v", why)
	}
	if _, why := r.Parse(append(message, ' ')); why != feed.RejectTooLarge {
		t.Errorf("1 MiB and a byte: %v", why)
	}
	big := []byte("[" + strings.Repeat("1,", shortBytes) + "1]")
	roots := map[*fastjson.Value]bool{}
	for range 3 * renewBytes / len(big) {
		root, why := r.Parse(big)
		if why != feed.RejectNone {
			t.Fatal(why)
		}
		roots[root] = true
		if r.spent > renewBytes {
			t.Fatalf("the parser was not renewed: %d bytes", r.spent)
		}
	}
	if len(roots) < 4 { // the first parse grows its memory, then one for each parser
		t.Errorf("%d parsers' memory in three times what one may see", len(roots))
	}
}

func TestReaderAllocatesNothing(t *testing.T) {
	messages := [][]byte{
		[]byte(`{"type":"quote","bid":61800.20,"extra":{"a":[1,2,{"b":3}]}}`),
		[]byte(`{"type":"quote","bid":"61800.20","note":"caf\u00e9"}`),
		bytes.Repeat([]byte(" "), shortBytes+10),
	}
	copy(messages[2], `[1,2,3]`)
	var r Reader
	read := func() {
		for _, message := range messages {
			root, why := r.Parse(message)
			if why != feed.RejectNone {
				t.Fatal(why)
			}
			r.Check(root)
			if object := root.GetObject(); object != nil {
				bid := object.Get("bid")
				if _, why := r.Number(bid); why != feed.RejectNone {
					t.Fatal(why)
				}
			}
		}
	}
	read()
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
