package journal_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/replay/journal/memstore"
)

// Example writes a journal and reads it. On a disk the store is journal.NewDirStore(path), and Inline is not set.
func Example() {
	store := new(memstore.Store)
	w, err := journal.OpenWriter(store, journal.Options{
		Partition: "eu-1",
		NowNs:     func() int64 { return 1_700_000_000_000_000_000 },
		Inline:    true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ticks := w.Ticks()
	if err := ticks.Define(journal.Definition{ID: 0, Class: journal.ClassInstrument, Venue: "binance", Symbol: "BTCUSDT"}); err != nil {
		fmt.Println(err)
		return
	}
	ticks.Append(&feed.Tick{Seq: 1, Kind: feed.KindTrade, F: [4]float64{42_000, 0.5, 1, 0}}, 7001)
	ticks.Flush()
	w.Outcomes().Append([]byte("the decided body"), 0)
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}

	r, err := journal.OpenReader(store, journal.ReaderOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for {
		block, err := r.Next()
		switch {
		case err == io.EOF:
			fmt.Println("the end")
			return
		case errors.Is(err, journal.ErrIncompleteTail):
			fmt.Println("being written, or its writer was killed:", err)
			return
		case err != nil:
			fmt.Println(err)
			return
		}
		for d := range block.Definitions() {
			fmt.Println("id", d.ID, "is", d.Venue, d.Symbol, "from tick", d.At)
		}
		for i, tick := range block.Ticks() {
			fmt.Println("tick", tick.Seq, tick.Kind, tick.F[0], "venue sequence", block.VenueSequences()[i])
		}
		for o := range block.Outcomes() {
			fmt.Printf("outcome %d: result %d of %q\n", o.Number, o.Result, o.Body)
		}
	}
	// Output:
	// id 0 is binance BTCUSDT from tick 1
	// tick 1 trade 42000 venue sequence 7001
	// outcome 1: result 0 of "the decided body"
	// the end
}
