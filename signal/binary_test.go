package signal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func encodeBinary(b *Body, t *Trailer) []byte {
	dst := AppendBinary(nil, b)
	if t != nil {
		dst = AppendBinaryTrailer(dst, t)
	}
	return dst
}

func TestBinaryGolden(t *testing.T) {
	b, tr := sampleBody(), sampleTrailer()
	golden(t, "decided.hex", []byte(hex.Dump(AppendBinary(nil, &b))))
	golden(t, "published.hex", []byte(hex.Dump(encodeBinary(&b, &tr))))
}

// The ruler in binary.go, by hand: the goldens could be rewritten together with a mistake.
func TestBinaryRuler(t *testing.T) {
	b, tr := sampleBody(), sampleTrailer()
	p := encodeBinary(&b, &tr)
	le := binary.LittleEndian
	block := p[8:]
	for _, c := range []struct {
		field     string
		got, want uint64
	}{
		{"magic", uint64(p[0]), 'S'},
		{"version", uint64(p[1]), 1},
		{"block", uint64(le.Uint16(p[2:])), 112},
		{"kind", uint64(p[4]), 1},
		{"sequence", le.Uint64(block[0:]), b.Sequence},
		{"output sequence", le.Uint64(block[8:]), b.OutputSequence},
		{"exchangeNs", le.Uint64(block[16:]), uint64(b.ExchangeNs)},
		{"engineNs", le.Uint64(block[24:]), uint64(b.EngineNs)},
		{"value", le.Uint64(block[32:]), math.Float64bits(b.Value)},
		{"side", le.Uint64(block[40:]), math.Float64bits(b.Side)},
		{"strength", le.Uint64(block[48:]), 0x7ff8000000000000},
		{"horizonNs", le.Uint64(block[56:]), uint64(b.HorizonNs)},
		{"validUntilNs", le.Uint64(block[64:]), uint64(b.ValidUntilNs)},
		{"bid", le.Uint64(block[72:]), math.Float64bits(b.Bid)},
		{"ask", le.Uint64(block[80:]), math.Float64bits(b.Ask)},
		{"last", le.Uint64(block[88:]), math.Float64bits(b.Last)},
		{"generation", uint64(le.Uint32(block[96:])), uint64(b.Generation)},
		{"flags", uint64(le.Uint32(block[100:])), 1 | 8 | 32},
		{"action", uint64(block[104]), 4},
		{"reason", uint64(block[105]), 3},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#x, want %#x", c.field, c.got, c.want)
		}
	}
	names := "\x02p7\x09reversion\x07binance\x08BTC.USDT\x00T"
	if got := string(block[112:][:len(names)]); got != names {
		t.Errorf("names %q, want %q", got, names)
	}
}

func TestBinaryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, tr := drawBody(t, true), drawTrailer(t)
		p := encodeBinary(&b, tr)
		if len(p) > BinaryBytesMax {
			t.Fatalf("%d bytes, over BinaryBytesMax", len(p))
		}
		gotB, gotT, err := Decode(p)
		if err != nil {
			t.Fatal(err)
		}
		if !sameBody(&gotB, &b) || !sameTrailer(gotT, tr) {
			t.Fatalf("got %+v %+v\nwant %+v %+v", gotB, gotT, b, tr)
		}
	})
}

func TestBinaryBound(t *testing.T) {
	b, tr := widest()
	if n := len(encodeBinary(&b, &tr)); n != BinaryBytesMax {
		t.Errorf("the widest record has %d bytes, BinaryBytesMax is %d", n, BinaryBytesMax)
	}
}

// widest returns a record whose names are as long as allowed.
func widest() (Body, Trailer) {
	b := sampleBody()
	b.Partition = strings.Repeat("\x01", PartitionBytesMax)
	b.Signal = strings.Repeat("\x02", SignalBytesMax)
	b.Venue = strings.Repeat("\x03", VenueBytesMax)
	b.Symbol = strings.Repeat("\x04", SymbolBytesMax)
	b.Flags = ^Flags(0)
	b.Value, b.Side, b.Strength = -math.MaxFloat64, -math.SmallestNonzeroFloat64, -1.2345678901234567e-300
	b.Bid, b.Ask, b.Last = -123456789012345678901, -1.2345678901234567e-6, -1.2345678901234567e-300
	b.ExchangeNs, b.EngineNs, b.HorizonNs, b.ValidUntilNs = math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64
	b.Sequence, b.OutputSequence, b.Generation = math.MaxUint64, math.MaxUint64, math.MaxUint32
	tr := Trailer{strings.Repeat("\x05", InstanceBytesMax), math.MaxUint64, math.MinInt64, math.MinInt64}
	return b, tr
}

func TestBinaryUndefinedIsCanonical(t *testing.T) {
	b := sampleBody()
	numbers := []*float64{&b.Value, &b.Side, &b.Strength, &b.Bid, &b.Ask, &b.Last}
	fill := func(v float64) {
		for _, number := range numbers {
			*number = v
		}
	}
	fill(Undefined())
	want := AppendBinary(nil, &b)
	for _, v := range []float64{
		math.NaN(), math.Inf(1), math.Inf(-1),
		math.Float64frombits(0xfff8000000000000), math.Float64frombits(0x7ff0000000000001),
	} {
		fill(v)
		if got := AppendBinary(nil, &b); !bytes.Equal(got, want) {
			t.Errorf("%#x is not written as the canonical NaN", math.Float64bits(v))
		}
	}
}

func TestBinaryEveryTruncationIsRefused(t *testing.T) {
	b, tr := sampleBody(), sampleTrailer()
	whole, decided := encodeBinary(&b, &tr), len(AppendBinary(nil, &b))
	for n := range whole {
		got, gotT, err := Decode(whole[:n])
		if n == decided { // the stream copy
			if err != nil || gotT != nil || !sameBody(&got, &b) {
				t.Errorf("the decided body alone: %v", err)
			}
			continue
		}
		if !errors.Is(err, ErrMalformed) {
			t.Errorf("%d of %d bytes: error %v, want ErrMalformed", n, len(whole), err)
		}
	}
}

func TestBinaryRefusals(t *testing.T) {
	b, tr := sampleBody(), sampleTrailer()
	legs := len(AppendBinary(nil, &b)) - 1
	set := func(at int, v byte) func([]byte) []byte {
		return func(p []byte) []byte { p[at] = v; return p }
	}
	for _, c := range []struct {
		name string
		edit func([]byte) []byte
		want error
	}{
		{"magic", set(0, 'X'), ErrMalformed},
		{"version 0", set(1, 0), ErrMalformed},
		{"short block", set(2, 111), ErrMalformed},
		{"long block in version 1", func(p []byte) []byte { p[2]++; return slices.Insert(p, 8+112, 0) }, ErrMalformed},
		{"kind", set(4, 2), ErrUnsupported},
		{"reserved header byte", set(7, 1), ErrMalformed},
		{"another finite value", set(8+32+6, 0xff), nil},
		{"infinite value", func(p []byte) []byte { copy(p[8+32:], []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f}); return p }, ErrMalformed},
		{"quiet NaN with payload", set(8+48, 1), ErrMalformed},
		{"action 0", set(8+104, 0), ErrUnsupported},
		{"action 5", set(8+104, 5), ErrUnsupported},
		{"reserved block byte", set(8+111, 1), ErrMalformed},
		{"output sequence 0", func(p []byte) []byte { clear(p[8+8 : 8+16]); return p }, ErrMalformed},
		{"legs", set(legs, 1), ErrUnsupported},
		{"unknown section in version 1", set(legs+1, 'U'), ErrMalformed},
		{"partition too long", func([]byte) []byte {
			long := b
			long.Partition = strings.Repeat("x", PartitionBytesMax+1)
			return AppendBinary(nil, &long)
		}, ErrName},
		{"two trailers", func(p []byte) []byte { return AppendBinaryTrailer(p, &tr) }, ErrMalformed},
		{"byte after the trailer", func(p []byte) []byte { return append(p, 0) }, ErrMalformed},
		{"longer trailer in version 1", func(p []byte) []byte { p[legs+2]++; return append(p, 0) }, ErrMalformed},
		{"empty instance", func(p []byte) []byte {
			return AppendBinaryTrailer(p[:legs+1], &Trailer{})
		}, ErrName},
		{"empty symbol", func([]byte) []byte {
			nameless := b
			nameless.Symbol = ""
			return AppendBinary(nil, &nameless)
		}, ErrName},
	} {
		_, _, err := Decode(c.edit(encodeBinary(&b, &tr)))
		if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}

// What a newer version may add is skipped, and the version stays visible.
func TestBinaryNewerVersion(t *testing.T) {
	b, tr := sampleBody(), sampleTrailer()
	old := encodeBinary(&b, &tr)
	p := append([]byte{}, old[:8+112]...)
	p[1], p[2], p[5], p[8+110] = 2, 112+16, 1, 1
	p = append(p, "sixteen new byte"...)
	p = append(p, old[8+112:len(AppendBinary(nil, &b))]...)
	p = append(p, 'N', 3, 0, 'n', 'e', 'w')
	trailer := AppendBinaryTrailer(nil, &tr)
	trailer[1] += 2
	p = append(append(p, trailer...), "xy"...)

	got, gotT, err := Decode(p)
	if err != nil {
		t.Fatal(err)
	}
	b.Version = 2
	if !sameBody(&got, &b) || !sameTrailer(gotT, &tr) {
		t.Errorf("got %+v %+v", got, gotT)
	}
}

func TestAppendBinaryPanicsOnImpossibleName(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a name of 256 bytes was encoded")
		}
	}()
	AppendBinary(nil, &Body{Symbol: strings.Repeat("x", 256)})
}

func FuzzDecodeBinary(f *testing.F) {
	b, tr := sampleBody(), sampleTrailer()
	f.Add(AppendBinary(nil, &b))
	f.Add(encodeBinary(&b, &tr))
	f.Add([]byte("S\x01\x70\x00\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, p []byte) {
		got, gotT, err := DecodeBinary(p)
		if err != nil {
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrName) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		if again := encodeBinary(&got, gotT); got.Version == Version && !bytes.Equal(again, p) {
			t.Fatalf("accepted bytes are not what the encoder writes\ngot  %x\nwant %x", again, p)
		}
	})
}
