package wire

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"testing"

	"github.com/sigengine/sigengine/feed"
)

var update = flag.Bool("update", false, "write golden files")

// The bytes of a frame are a contract with publishers: they change only with the version.
func TestBinaryGolden(t *testing.T) {
	symbols := feed.NewSymbols(8)
	for _, name := range []string{"BTCUSDT", "ETH-PERP/é"} {
		if _, err := symbols.Intern([]byte("binance"), []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	ticks := []feed.Tick{
		{ExchangeNs: 1723161256313000000, Instrument: 0, Kind: feed.KindQuote, F: [4]float64{61800.20, 2.507, 61800.30, 2.51}},
		{Instrument: 1, Kind: feed.KindQuote, F: [4]float64{nan, 0, 2500.5, 1}},
		{ExchangeNs: 1723161256313000001, Instrument: 0, Kind: feed.KindTrade, Flags: feed.FlagReplayed, F: [4]float64{61800.30, 0.006, 1}},
		{Instrument: 1, Kind: feed.KindDepth, Flags: feed.FlagMore | feed.FlagSnapshot, F: [4]float64{feed.DepthValue(false, 2), 2501, 3}},
		{Instrument: 1, Kind: feed.KindStatus, F: [4]float64{float64(feed.StatusHalt)}},
		{Instrument: feed.AllInstruments, Kind: feed.KindGap, F: [4]float64{float64(feed.GapDeclared), 12}},
	}
	frame, err := NewEncoder(symbols, 0x0123456789abcdef).AppendFrame(nil, 0, ticks, []uint64{5123107839020, 0, 1<<64 - 1, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	const path = "testdata/frame.hex"
	got := []byte(hex.Dump(frame))
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
