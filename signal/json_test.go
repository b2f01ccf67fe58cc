package signal

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestJSONGolden(t *testing.T) {
	b, tr := sampleBody(), sampleTrailer()
	plain := sampleBody()
	plain.Action, plain.Reason, plain.Flags, plain.Strength = ActionEnter, ReasonNone, 0, math.Copysign(0, -1)
	odd := sampleBody()
	odd.Symbol, odd.Reason, odd.Flags = "q\"b\\n\nt\tr\rc\x01\x7f\xff é日\u2028", Reason(9), FlagLate|1<<20
	out := append(AppendJSON(nil, &b, &tr), '\n')
	out = append(AppendJSON(out, &plain, nil), '\n')
	out = append(AppendJSON(out, &odd, nil), '\n')
	golden(t, "signals.jsonl", out)
	for line := range strings.Lines(string(out)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, tr := drawBody(t, false), drawTrailer(t)
		p := AppendJSON(nil, &b, tr)
		gotB, gotT, err := Decode(p)
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		if !sameBody(&gotB, &b) || !sameTrailer(gotT, tr) {
			t.Fatalf("%s\ngot %+v %+v\nwant %+v %+v", p, gotB, gotT, b, tr)
		}
	})
}

func TestJSONBound(t *testing.T) {
	b, tr := widest()
	if n := len(AppendJSON(nil, &b, &tr)); n > JSONBytesMax {
		t.Errorf("the widest record has %d bytes, JSONBytesMax is %d", n, JSONBytesMax)
	}
}

func TestJSONNumbers(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "-0"},
		{60000.1, "60000.1"},
		{1000000, "1000000"},
		{0.1, "0.1"},
		{1e-6, "0.000001"},
		{9.5e-7, "9.5e-07"},
		{1e20, "100000000000000000000"},
		{1e21, "1e+21"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{5e-324, "5e-324"},
		{math.NaN(), "null"},
		{math.Inf(1), "null"},
		{math.Inf(-1), "null"},
	} {
		if got := string(appendJSONFloat(nil, "", c.v)); got != c.want {
			t.Errorf("%v: %s, want %s", c.v, got, c.want)
		}
	}
}

// A name reads back as encoding/json would read it, whatever its bytes.
func TestJSONNamesAgreeWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := string(rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "name"))
		if rapid.Bool().Draw(t, "text") {
			name = rapid.String().Draw(t, "name")
		}
		var got, want string
		if err := json.Unmarshal(appendJSONName(nil, "", name), &got); err != nil {
			t.Fatal(err)
		}
		theirs, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%q reads back as %q, want %q", name, got, want)
		}
	})
}

func TestJSONRefusals(t *testing.T) {
	b, tr := sampleBody(), sampleTrailer()
	whole := string(AppendJSON(nil, &b, &tr))
	for _, c := range []struct {
		name, old, new string
		want           error
	}{
		{"unchanged", "", "", nil},
		{"unknown key", `{"v"`, `{"new":{"a":[1,null]},"v"`, nil},
		{"newer version", `"v":1`, `"v":2`, nil},
		{"empty legs", `{"v"`, `{"legs":[],"v"`, nil},
		{"unknown flag", `["gap"`, `["brand_new"`, nil},
		{"unknown reason", `"kill"`, `"brand_new"`, nil},
		{"white space", `,"gen"`, " ,\n\t\"gen\" ", nil},
		{"legs", `{"v"`, `{"legs":[{}],"v"`, ErrUnsupported},
		{"unknown action", `"withdraw"`, `"double"`, ErrUnsupported},
		{"version 0", `"v":1`, `"v":0`, ErrMalformed},
		{"version too large", `"v":1`, `"v":256`, ErrMalformed},
		{"version as string", `"v":1`, `"v":"1"`, ErrMalformed},
		{"key in other case", `"value"`, `"Value"`, ErrMalformed},
		{"key twice", `{"v":1`, `{"v":1,"v":1`, ErrMalformed},
		{"integer as number", `"seq":"1230066625199609624"`, `"seq":1230066625199609624`, ErrMalformed},
		{"integer with sign", `"latency_ns":"4321"`, `"latency_ns":"+4321"`, ErrMalformed},
		{"integer with a leading zero", `"seq":"1230066625199609624"`, `"seq":"01230066625199609624"`, ErrMalformed},
		{"integer too large", `"out_seq":"2387509390608836392"`, `"out_seq":"18446744073709551616"`, ErrMalformed},
		{"output sequence 0", `"out_seq":"2387509390608836392"`, `"out_seq":"0"`, ErrMalformed},
		{"number as string", `"value":-2.75`, `"value":"-2.75"`, ErrMalformed},
		{"number too large", `"value":-2.75`, `"value":1e999`, ErrMalformed},
		{"number as true", `"value":-2.75`, `"value":true`, ErrMalformed},
		{"generation too large", `"gen":16909060`, `"gen":4294967296`, ErrMalformed},
		{"generation with fraction", `"gen":16909060`, `"gen":1.0`, ErrMalformed},
		{"missing key", `"bid":60000.1,`, ``, ErrMalformed},
		{"missing reason", `"reason":"kill",`, ``, ErrMalformed},
		{"trailer in part", `"instance":"engine-a",`, ``, ErrMalformed},
		{"name null", `"venue":"binance"`, `"venue":null`, ErrMalformed},
		{"name empty", `"venue":"binance"`, `"venue":""`, ErrName},
		{"instance too long", `"engine-a"`, `"` + strings.Repeat("x", 65) + `"`, ErrName},
		{"flags null", `["gap","halted","gates_off"]`, `null`, ErrMalformed},
		{"flag null", `"gap"`, `null`, ErrMalformed},
		{"flags as text", `["gap","halted","gates_off"]`, `"gap"`, ErrMalformed},
		{"truncated", `"4321"}`, ``, ErrMalformed},
		{"not closed", `"4321"}`, `"4321"`, ErrMalformed},
		{"second object", `"4321"}`, `"4321"}{}`, ErrMalformed},
		{"trailing comma", `"4321"}`, `"4321",}`, ErrMalformed},
	} {
		p := strings.Replace(whole, c.old, c.new, 1)
		if c.old != c.new && p == whole {
			t.Fatalf("%s: nothing replaced in %s", c.name, whole)
		}
		_, _, err := Decode([]byte(p))
		if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}

func TestJSONUnknownNamesAreKept(t *testing.T) {
	b := sampleBody()
	p := strings.Replace(string(AppendJSON(nil, &b, nil)), `["gap"`, `["brand_new","gap"`, 1)
	p = strings.Replace(p, `"kill"`, `"brand_new"`, 1)
	got, _, err := Decode([]byte(p))
	if err != nil {
		t.Fatal(err)
	}
	if want := b.Flags | FlagUnknown; got.Flags != want || got.Reason != ReasonUnknown {
		t.Errorf("flags %v and reason %v, want %v and unknown", got.Flags, got.Reason, want)
	}
}

func TestDecodeDispatch(t *testing.T) {
	for _, p := range []string{"", " {}", "[]", "null", "\x00", "s"} {
		if _, _, err := Decode([]byte(p)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v, want ErrMalformed", p, err)
		}
	}
	if _, _, err := DecodeJSON([]byte("[]")); !errors.Is(err, ErrMalformed) {
		t.Errorf("a list: %v, want ErrMalformed", err)
	}
}

func FuzzDecodeJSON(f *testing.F) {
	b, tr := sampleBody(), sampleTrailer()
	f.Add(AppendJSON(nil, &b, nil))
	f.Add(AppendJSON(nil, &b, &tr))
	f.Add([]byte(`{"v":1,"legs":null}`))
	f.Fuzz(func(t *testing.T, p []byte) {
		got, gotT, err := DecodeJSON(p)
		if err != nil {
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrName) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		again, againT, err := DecodeJSON(AppendJSON(nil, &got, gotT))
		got.Version = Version
		if err != nil || !sameBody(&again, &got) || !sameTrailer(againT, gotT) {
			t.Fatalf("%v\ngot  %+v %+v\nwant %+v %+v", err, again, againT, got, gotT)
		}
	})
}

func FuzzJSONNumber(f *testing.F) {
	f.Add(uint64(0))
	f.Add(math.Float64bits(-0.1))
	f.Fuzz(func(t *testing.T, bits uint64) {
		v := math.Float64frombits(bits)
		text := string(appendJSONFloat(nil, "", v))
		if IsUndefined(v) {
			if text != "null" {
				t.Fatalf("%v is written %s", v, text)
			}
			return
		}
		if back, err := strconv.ParseFloat(text, 64); err != nil || math.Float64bits(back) != bits || !json.Valid([]byte(text)) {
			t.Fatalf("%x is written %s and reads back as %v, %v", bits, text, back, err)
		}
	})
}
