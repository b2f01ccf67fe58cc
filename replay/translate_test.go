package replay

import (
	"testing"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/internal/config"
)

func TestCommandsFollowNames(t *testing.T) {
	other := &config.Config{Signals: []config.Signal{{Name: "new"}, {Name: "b"}}}
	command := func(scope feed.ControlScope, index float64) feed.Tick {
		return feed.Tick{Seq: 7, Kind: feed.KindControl, F: [4]float64{float64(feed.ControlKill), float64(scope), index}}
	}
	fact := feed.Tick{Seq: 7, Kind: feed.KindControl, F: [4]float64{float64(feed.ControlFact), float64(feed.FactDisk), 1}}
	tighten := feed.Tick{Seq: 7, Kind: feed.KindControl, F: [4]float64{float64(feed.ControlTighten), float64(feed.LimitSpread), 1}}
	latch := func(index float64) feed.Tick {
		return feed.Tick{Seq: 7, Kind: feed.KindControl, Instrument: 3, F: [4]float64{float64(feed.ControlLatch), float64(feed.ScopeInstrument), index}}
	}
	beat := feed.Tick{Seq: 7, Kind: feed.KindHeartbeat}
	for _, test := range []struct {
		name     string
		config   *config.Config
		recorded []string
		in, want feed.Tick
		fails    bool
	}{
		{"the journal's own configuration", nil, nil, command(feed.ScopeSignal, 1), command(feed.ScopeSignal, 1), false},
		{"another place", other, []string{"a", "x", "b"}, command(feed.ScopeSignal, 2), command(feed.ScopeSignal, 1), false},
		{"no longer there", other, []string{"a", "b"}, command(feed.ScopeSignal, 0), beat, false},
		{"of everything", other, []string{"a", "b"}, command(feed.ScopeAll, 0), command(feed.ScopeAll, 0), false},
		{"of names that are not known", other, nil, command(feed.ScopeSignal, 0), feed.Tick{}, true},
		{"of a number that there was none of", other, []string{"a"}, command(feed.ScopeSignal, 1), feed.Tick{}, true},
		{"a fact", other, nil, fact, fact, false},
		{"a limit whose number is that of the scope of signals", other, []string{"a", "b"}, tighten, tighten, false},
		{"a latch", other, []string{"a", "x", "b"}, latch(2), latch(1), false},
		{"negative", other, []string{"a"}, command(feed.ScopeSignal, -1), feed.Tick{}, true},
	} {
		p := &Player{options: Options{Config: test.config}, config: test.config, recorded: test.recorded}
		tick := test.in
		switch err := p.translate(&tick); {
		case (err != nil) != test.fails:
			t.Errorf("%s: %v", test.name, err)
		case err == nil && tick != test.want:
			t.Errorf("%s: %+v, want %+v", test.name, tick, test.want)
		}
	}
}
