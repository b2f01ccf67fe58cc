package examples

import (
	"path/filepath"
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/setup"
	"github.com/sigengine/sigengine/internal/testdata"
	"github.com/sigengine/sigengine/signal"
)

// folder is where the examples are.
func folder(t testing.TB) string {
	t.Helper()
	root, err := testdata.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "docs", "examples")
}

// load reads the configuration of an example as the engine does.
func load(t testing.TB, name string) (*config.Config, engine.Config) {
	t.Helper()
	c, err := config.Load(filepath.Join(folder(t), name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := setup.Engine(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, e
}

// shapes are ways to run an engine; none changes what is decided.
var shapes = []struct {
	name         string
	mode         engine.Mode
	lanes, batch int
}{
	{"fused, batch 64", engine.ModeFused, 1, 64},
	{"staged, 2 lanes, batch 7", engine.ModeStaged, 2, 7},
}

// result is what a run decided.
type result struct {
	hash    string
	decided []signal.Body
}

// keep is an engine.Sink that keeps what it is given.
type keep struct{ decided []signal.Body }

// Emit keeps one signal; the strings of a body stay valid.
func (k *keep) Emit(_ uint32, body *signal.Body, _ int64) uint8 {
	k.decided = append(k.decided, *body)
	return 0
}

// replay runs a tape through a new engine.
func (r *tape) replay(t testing.TB, c engine.Config) result {
	t.Helper()
	sink := &keep{}
	e, err := engine.New(c, engine.Ports{Clock: feed.NewManualClock(0), Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	recording := e.Record()
	for id, symbol := range r.symbols {
		if err := recording.Define(uint32(id), sourceOf(uint32(id)), symbol); err != nil {
			t.Fatal(err)
		}
	}
	for i := range r.ticks {
		if err := recording.Tick(&r.ticks[i]); err != nil {
			t.Fatal(err)
		}
	}
	recording.Close()
	out := result{decided: sink.decided}
	var n uint64
	if out.hash, n = e.OutputHash(); n != uint64(len(sink.decided)) {
		t.Fatalf("%d signals hashed, %d given out", n, len(sink.decided))
	}
	return out
}
