package simulate

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/sigengine/sigengine/feed"
)

// Violation is a contract that a simulation broke. The contracts:
//
//	sequence    sequence numbers rise by one; every tick names a known source and instrument; heartbeats keep their distance
//	gap         after a loss, a Gap of its source is sequenced before any market data of it
//	accounting  every message has one verdict, the expected one; every tick is in exactly one count
//	bounds      queues stay within their sizes
//	outcome     the journal has the outcome of every signal, in order, as the sink gave it
//	output      what was published is what was decided; consumers' trackers miss what was refused and nothing else
//	time        engine time never goes back, and is what the recorded ticks make it
//	decision    no enter or update that a gate must refuse; withdraws where they must be; outputs numbered +1 a pair
//	replay      the journal replays to the same signals, in any shape
//	fail closed nothing is published after the journal has failed
//	journal     a journal can be read and taken up after any crash
//	liveness    when the faults have stopped, ticks flow and signals are published
type Violation struct {
	Contract string
	Run      uint64
	What     string
}

// String describes the violation in a line.
func (v Violation) String() string { return fmt.Sprintf("run %d: %s: %s", v.Run, v.Contract, v.What) }

// Check judges a finished simulation and returns every contract it broke.
func Check(r *Result) []Violation { return append(checkSafety(r), checkLiveness(r)...) }

func checkSafety(r *Result) []Violation {
	var all []Violation
	for _, run := range r.Runs {
		all = append(all, checkRun(run)...)
	}
	return all
}

func checkRun(run *Run) []Violation {
	recorded, err := Read(run.Store)
	if err != nil {
		return append(run.Problems, Violation{"journal", run.Number, err.Error()})
	}
	found := append(slices.Clone(run.Problems), checkRecorded(run, recorded)...)
	found = append(found, checkReplay(run, recorded)...)
	if err := takeUp(run.Store); err != nil {
		found = append(found, Violation{"journal", run.Number, err.Error()})
	}
	return found
}

// checkRecorded judges a run by what is in memory of it.
func checkRecorded(run *Run, recorded *Recorded) []Violation {
	j := &judge{run: run, recorded: recorded}
	j.ended()
	sound := j.sequence()
	j.gaps()
	j.outcomes()
	j.accounting()
	j.bounds()
	if sound {
		j.decisions() // it reads only what is in order
	}
	return j.found
}

// judge looks at one run.
type judge struct {
	run      *Run
	recorded *Recorded
	found    []Violation
}

func (j *judge) violation(contract, format string, a ...any) {
	const most = 20 // of one run; the first is what matters
	if len(j.found) < most {
		j.found = append(j.found, Violation{contract, j.run.Number, fmt.Sprintf(format, a...)})
	}
}

// ended compares how the run ended with what the journal says, and how much of it is there.
func (j *judge) ended() {
	r, run := j.recorded, j.run
	if r.Ended != run.Good {
		j.violation("journal", "ended in good order: %t; the journal says %t", run.Good, r.Ended)
	}
	if run.Good && (uint64(len(r.Ticks)) != run.Engine.Sequenced || r.Incomplete != nil) {
		j.violation("journal", "%d of %d ticks after a good end (%v)", len(r.Ticks), run.Engine.Sequenced, r.Incomplete)
	}
	if uint64(len(r.Ticks)) > run.Engine.Sequenced {
		j.violation("journal", "%d ticks, but %d were sequenced", len(r.Ticks), run.Engine.Sequenced)
	}
}

// sequence checks numbers, sources and instruments, and reports whether all is in order.
func (j *judge) sequence() bool {
	before := len(j.found)
	type pair struct {
		source uint16
		id     uint32
	}
	known := map[pair]uint64{}
	for _, d := range j.recorded.Definitions {
		if at, ok := known[pair{d.Source, d.ID}]; !ok || d.At < at {
			known[pair{d.Source, d.ID}] = d.At
		}
	}
	for i := range j.recorded.Ticks {
		t := &j.recorded.Ticks[i]
		if t.Seq != uint64(i)+1 {
			j.violation("sequence", "tick %d in the place of %d", t.Seq, i+1)
			return false
		}
		if i > 0 && t.Kind == feed.KindHeartbeat && j.recorded.Ticks[i-1].Kind == feed.KindHeartbeat {
			sinceNs := t.ReceiveNs - j.recorded.Ticks[i-1].ReceiveNs
			if sinceNs >= 0 && sinceNs < j.run.Shape.HeartbeatNs {
				j.violation("sequence", "heartbeat %d is %d ns after the last", t.Seq, sinceNs)
			}
		}
		if int(t.Source) > feeds {
			j.violation("sequence", "tick %d is of source %d", t.Seq, t.Source)
		}
		if at, ok := known[pair{t.Source, t.Instrument}]; t.Instrument != feed.AllInstruments && (!ok || at > t.Seq) {
			j.violation("sequence", "tick %d: instrument %d of source %d is not defined yet", t.Seq, t.Instrument, t.Source)
		}
	}
	return len(j.found) == before
}

// gaps checks that after every loss a Gap stands before the next market data of its source.
func (j *judge) gaps() {
	next := make([][]uint64, feeds+1) // by source: sequences of Gaps of all instruments, and
	data := make([][]uint64, feeds+1) // of market data
	for i := range j.recorded.Ticks {
		t := &j.recorded.Ticks[i]
		switch {
		case int(t.Source) > feeds:
		case t.Kind == feed.KindGap && t.Instrument == feed.AllInstruments:
			next[t.Source] = append(next[t.Source], t.Seq)
		case t.Kind.IsMarketData():
			data[t.Source] = append(data[t.Source], t.Seq)
		}
	}
	for _, m := range j.run.Marks {
		gap, _ := slices.BinarySearch(next[m.Source], m.After+1)
		tick, _ := slices.BinarySearch(data[m.Source], m.After+1)
		if tick == len(data[m.Source]) {
			continue
		}
		if at := data[m.Source][tick]; gap == len(next[m.Source]) || next[m.Source][gap] > at {
			j.violation("gap", "source %d lost something after tick %d, and tick %d is its market data without a Gap", m.Source, m.After, at)
		}
	}
}

// outcomes compares the journal's outcomes with what the sink was given and answered.
func (j *judge) outcomes() {
	emitted, recorded := j.run.Emitted, j.recorded.Outcomes
	if len(recorded) > len(emitted) || j.run.Good && len(recorded) != len(emitted) {
		j.violation("outcome", "%d recorded, %d emitted", len(recorded), len(emitted))
		return
	}
	for i := range recorded {
		if !bytes.Equal(recorded[i].Encoded, emitted[i].Encoded) || recorded[i].Result != emitted[i].Result {
			j.violation("outcome", "number %d is not what was emitted (result %d, recorded %d)", i+1, emitted[i].Result, recorded[i].Result)
			return
		}
	}
}

// bounds checks high-water marks.
func (j *judge) bounds() {
	for i, s := range j.run.Sources {
		if s.QueuedMost > s.Slots {
			j.violation("bounds", "%d ticks in the ring of source %d, which has %d slots", s.QueuedMost, i+1, s.Slots)
		}
	}
	if w := j.run.Writer; w.LostBlocks > 0 && !w.Broken {
		j.violation("bounds", "the journal lost %d blocks without an error", w.LostBlocks)
	}
}
