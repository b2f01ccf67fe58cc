package feed

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

var updateGolden = flag.Bool("update-golden", false, "rewrite testdata")

// TestTickBytes: a tick's memory is its journal and wire form; the bytes are golden.
func TestTickBytes(t *testing.T) {
	tick := Tick{
		Seq: 0x0102030405060708, ExchangeNs: 1723161255343000000, ReceiveNs: -2, Instrument: AllInstruments - 1,
		Kind: KindQuote, Flags: FlagMore | FlagReplayed, Source: 0xabcd, F: [4]float64{61837.63, NaN(), -0.5, 1e-7},
	}
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&tick)), TickSize)
	var b strings.Builder
	for at := 0; at < TickSize; at += 16 {
		fmt.Fprintf(&b, "%02d %s\n", at, hex.EncodeToString(memory[at:at+16]))
	}
	golden(t, "tick.hex", b.String())
}

// TestEngineTimeGolden runs testdata/enginetime.txt: lines of a base, then ticks, then what engine time they give.
func TestEngineTimeGolden(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "enginetime.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var clock EngineTime
	for line := range strings.Lines(string(text)) {
		input, _, _ := strings.Cut(strings.TrimSpace(line), " ->")
		words := strings.Fields(input)
		if len(words) == 0 || words[0] == "#" {
			out.WriteString(line)
			continue
		}
		if words[0] == "base" {
			clock = EngineTime{}
			if words[1] == TimeExchange.String() {
				clock.Base = TimeExchange
			}
			out.WriteString(input + "\n")
			continue
		}
		tick := Tick{Kind: kindOf(t, words[0])}
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, "=")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if key == "receive" {
				tick.ReceiveNs = n
			} else {
				tick.ExchangeNs = n
			}
		}
		now, late := clock.Advance(&tick)
		fmt.Fprintf(&out, "%s -> %d late %d trails %v\n", input, now, late, clock.ClockTrails(&tick, 100))
	}
	golden(t, "enginetime.txt", out.String())
}

func kindOf(t *testing.T, name string) Kind {
	t.Helper()
	for k := range Kind(len(kindNames)) {
		if k.String() == name {
			return k
		}
	}
	t.Fatalf("no kind %q", name)
	return 0
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s: got\n%swant\n%s", name, got, want)
	}
}

func TestCode(t *testing.T) {
	for v, want := range map[float64]uint8{0: 0, 1: 1, 255: 255, 256: 0, -1: 0, 1.5: 0, NaN(): 0, 1e300: 0} { // order-free: each is its own case
		if got := Code(v); got != want {
			t.Errorf("Code(%v) = %d, want %d", v, got, want)
		}
	}
}
