package signal

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with a file of testdata, or writes the file under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs; if the change is meant, run with -update\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// sampleBody has another value in every field, so that a swap shows in the goldens.
func sampleBody() Body {
	return Body{
		Version: 1, Partition: "p7", Generation: 0x01020304, Sequence: 0x1112131415161718,
		OutputSequence: 0x2122232425262728, Signal: "reversion", Venue: "binance", Symbol: "BTC.USDT",
		ExchangeNs: 0x3132333435363738, EngineNs: 0x4142434445464748, Action: ActionWithdraw, Reason: ReasonKill,
		Value: -2.75, Side: 1, Strength: Undefined(), HorizonNs: 0x5152535455565758, ValidUntilNs: 0x6162636465666768,
		Bid: 60000.1, Ask: 60000.2, Last: 60000.15, Flags: FlagGap | FlagHalted | FlagGatesOff,
	}
}

func sampleTrailer() Trailer {
	return Trailer{Instance: "engine-a", Epoch: 0x7172737475767778, PublishNs: -0x0102030405060708, LatencyNs: 4321}
}

// sameBody compares by bits, so that undefined equals undefined and zero differs from negative zero.
func sameBody(a, b *Body) bool {
	for _, pair := range [][2]*float64{
		{&a.Value, &b.Value},
		{&a.Side, &b.Side},
		{&a.Strength, &b.Strength},
		{&a.Bid, &b.Bid},
		{&a.Ask, &b.Ask},
		{&a.Last, &b.Last},
	} {
		if math.Float64bits(*pair[0]) != math.Float64bits(*pair[1]) {
			return false
		}
	}
	x, y := *a, *b
	x.Value, x.Side, x.Strength, x.Bid, x.Ask, x.Last = 0, 0, 0, 0, 0, 0
	y.Value, y.Side, y.Strength, y.Bid, y.Ask, y.Last = 0, 0, 0, 0, 0, 0
	return x == y
}

func sameTrailer(a, b *Trailer) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// drawNumber draws any float64 by bits, with undefined made canonical.
func drawNumber(t *rapid.T, label string) float64 {
	v := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) float64 { return math.Float64frombits(rapid.Uint64().Draw(t, "bits")) }),
		rapid.Float64(),
		rapid.SampledFrom([]float64{
			0, math.Copysign(0, -1), 1, -1, 1e-6, 1e21, 9.999999e-7, math.MaxFloat64,
			math.SmallestNonzeroFloat64, 0.1, 1 << 53, math.Inf(1), math.NaN(),
		}),
	).Draw(t, label)
	if IsUndefined(v) {
		return Undefined()
	}
	return v
}

// drawBody draws a valid body. Names are arbitrary bytes if raw, else valid UTF-8: JSON cannot carry other bytes.
func drawBody(t *rapid.T, raw bool) Body {
	name := func(label string, bytesMax int) string {
		if raw {
			return string(rapid.SliceOfN(rapid.Byte(), 1, bytesMax).Draw(t, label))
		}
		return rapid.StringN(1, -1, bytesMax).Draw(t, label)
	}
	return Body{
		Version:        Version,
		Partition:      name("partition", PartitionBytesMax),
		Generation:     rapid.Uint32().Draw(t, "generation"),
		Sequence:       rapid.Uint64().Draw(t, "sequence"),
		OutputSequence: rapid.Uint64Min(1).Draw(t, "outputSequence"),
		Signal:         name("signal", SignalBytesMax),
		Venue:          name("venue", VenueBytesMax),
		Symbol:         name("symbol", SymbolBytesMax),
		ExchangeNs:     rapid.Int64().Draw(t, "exchangeNs"),
		EngineNs:       rapid.Int64().Draw(t, "engineNs"),
		Action:         Action(rapid.IntRange(1, 4).Draw(t, "action")),
		Reason:         Reason(rapid.IntRange(0, 3).Draw(t, "reason")),
		Value:          drawNumber(t, "value"),
		Side:           drawNumber(t, "side"),
		Strength:       drawNumber(t, "strength"),
		HorizonNs:      rapid.Int64().Draw(t, "horizonNs"),
		ValidUntilNs:   rapid.Int64().Draw(t, "validUntilNs"),
		Bid:            drawNumber(t, "bid"),
		Ask:            drawNumber(t, "ask"),
		Last:           drawNumber(t, "last"),
		Flags:          Flags(rapid.Uint32Range(0, uint32(flagsNamed)).Draw(t, "flags")),
	}
}

func drawTrailer(t *rapid.T) *Trailer {
	if rapid.Bool().Draw(t, "stream copy") {
		return nil
	}
	return &Trailer{
		Instance:  rapid.StringN(1, -1, InstanceBytesMax).Draw(t, "instance"),
		Epoch:     rapid.Uint64().Draw(t, "epoch"),
		PublishNs: rapid.Int64().Draw(t, "publishNs"),
		LatencyNs: rapid.Int64().Draw(t, "latencyNs"),
	}
}
