package signal

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSubject(t *testing.T) {
	for _, c := range []struct {
		signal, venue, symbol, want string
	}{
		{"reversion", "binance", "BTCUSDT", "sig.v1.reversion.binance.BTCUSDT"},
		{"a-b_c", "x", "BTC/USDT.P", "sig.v1.a-b_c.x.BTC%2FUSDT%2EP"},
		{"100%", "*", ">", "sig.v1.100%25.%2A.%3E"},
		{"s", "v", "é \x00", "sig.v1.s.v.%C3%A9%20%00"},
		{"", "v", "s", ""},
		{"s", "", "s", ""},
		{"s", "v", "", ""},
	} {
		got, err := Subject(PrefixLive, c.signal, c.venue, c.symbol)
		if got != c.want || (c.want == "") != errors.Is(err, ErrSubject) {
			t.Errorf("%q %q %q: %q, %v, want %q", c.signal, c.venue, c.symbol, got, err, c.want)
		}
	}
	for _, prefix := range []string{"", ".", "sig.", ".sig", "si g", "sig.*", "sig.>", "a..b"} {
		if _, err := Subject(prefix, "s", "v", "s"); !errors.Is(err, ErrSubject) {
			t.Errorf("prefix %q: %v, want ErrSubject", prefix, err)
		}
	}
}

func TestStreamSubject(t *testing.T) {
	got, err := StreamSubject(PrefixStream, "p.7", "reversion", "binance", "BTCUSDT")
	if want := "sigx.p%2E7.reversion.binance.BTCUSDT"; got != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := StreamSubject(PrefixStream, "", "s", "v", "s"); !errors.Is(err, ErrSubject) {
		t.Errorf("empty partition: %v, want ErrSubject", err)
	}
	p, err := ParseSubject(got)
	if want := (Parts{"sigx.p%2E7", "reversion", "binance", "BTCUSDT"}); p != want || err != nil {
		t.Errorf("%+v, %v, want %+v", p, err, want)
	}
}

func TestSubjectRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.Custom(func(t *rapid.T) string {
			return string(rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "bytes"))
		})
		want := Parts{PrefixLive, name.Draw(t, "signal"), name.Draw(t, "venue"), name.Draw(t, "symbol")}
		subject, err := Subject(want.Prefix, want.Signal, want.Venue, want.Symbol)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(subject, ".") != 4 || strings.ContainsAny(subject, " *>\t\r\n\x00") {
			t.Fatalf("not a subject of five tokens: %q", subject)
		}
		if got, err := ParseSubject(subject); got != want || err != nil {
			t.Fatalf("%q: %+v, %v, want %+v", subject, got, err, want)
		}
	})
}

func TestUnescapeRefusals(t *testing.T) {
	for _, token := range []string{
		"", "%", "%2", "a%", "%2f", "%G0", "%41", "%7a", "a b", "a.b", "*", ">", "é", "%2F%", "%%25",
	} {
		if got, err := Unescape(token); !errors.Is(err, ErrSubject) {
			t.Errorf("%q: %q, %v, want ErrSubject", token, got, err)
		}
	}
	if _, err := Escape(""); !errors.Is(err, ErrSubject) {
		t.Errorf("Escape of nothing: %v, want ErrSubject", err)
	}
}

func TestParseSubjectRefusals(t *testing.T) {
	for _, subject := range []string{
		"", "a", "a.b.c", ".a.b.c", "p.a.b.", "p.a..c", "p..b.c", "p.a.*.c", "p.a.b.>", "p.a.b.%2f", "*.a.b.c", "p..a.b.c",
	} {
		if p, err := ParseSubject(subject); !errors.Is(err, ErrSubject) {
			t.Errorf("%q: %+v, %v, want ErrSubject", subject, p, err)
		}
	}
}

func TestMessageID(t *testing.T) {
	if got := MessageID("sigx.p.s.v.x", 18446744073709551615); got != "sigx.p.s.v.x:18446744073709551615" {
		t.Error(got)
	}
	if got := string(AppendMessageIDEpoch(nil, "sigx.p.s.v.x", 7, 3)); got != "sigx.p.s.v.x:7:3" {
		t.Error(got)
	}
}

func FuzzUnescape(f *testing.F) {
	for _, seed := range []string{"BTCUSDT", "BTC%2FUSDT", "%", "%41", "%FF"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if name, err := Unescape(token); err == nil {
			if back, err := Escape(name); back != token || err != nil {
				t.Fatalf("token %q is name %q, whose token is %q, %v", token, name, back, err)
			}
		}
		if token == "" {
			return
		}
		escaped, err := Escape(token)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Unescape(escaped); back != token || err != nil {
			t.Fatalf("name %q is token %q, whose name is %q, %v", token, escaped, back, err)
		}
	})
}
