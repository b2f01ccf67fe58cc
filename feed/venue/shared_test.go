package venue

import (
	"os"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/testdata"
)

// sharedFile opens a file of the data kept beside the project, or skips the test.
func sharedFile(t testing.TB, elem ...string) *os.File {
	t.Helper()
	file, err := os.Open(testdata.Shared(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// failer is what testing.TB and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func newBinance(t failer, market Market, trades string) *Binance {
	t.Helper()
	d, err := NewBinance(market, feed.DecoderOptions{Source: 5, Symbols: feed.NewSymbols(64), Trades: trades})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// decodeOne decodes one message with room for it, and says what became of it.
func decodeOne(t failer, d *Binance, message []byte) (tick feed.Tick, seq uint64, verdict string) {
	t.Helper()
	before := d.Stats().Counts()
	batch := feed.Batch{Ticks: make([]feed.Tick, 1), VenueSeq: make([]uint64, 1)}
	if d.Decode(message, 77, &batch) {
		t.Fatal("more than one tick in a message")
	}
	after := d.Stats().Counts()
	if after.Messages != before.Messages+1 || after.Settled() != after.Messages || after.Ticks-before.Ticks != uint64(batch.N) {
		t.Fatalf("%q: not accounted for: %+v", message, after)
	}
	for i := range after.Ignored {
		if after.Ignored[i] != before.Ignored[i] {
			verdict = "ignored " + feed.Ignored(i).String()
		}
	}
	for i := range after.Rejected {
		if after.Rejected[i] != before.Rejected[i] {
			verdict = feed.Reject(i).String()
		}
	}
	if (verdict == "") != (batch.N == 1) {
		t.Fatalf("%q: %d ticks, %s", message, batch.N, verdict)
	}
	return batch.Ticks[0], batch.VenueSeq[0], verdict
}
