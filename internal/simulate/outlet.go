package simulate

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/publish"
	"github.com/sigengine/sigengine/signal"
)

// Emission is one decided signal and what became of it.
type Emission struct {
	Encoded []byte // as the journal has it
	Result  uint8
}

// outlet is the engine's sink: the real publisher over a connection that refuses at times, and beside it a record of what it
// was given, and a consumer of what it sent.
type outlet struct {
	w       *world
	c       chance
	sink    *publish.NATSSink
	run     *Run
	failing int // turns

	// The consumer's side.
	tracker signal.Tracker
	refused []uint64 // by pair: not published since the last that was
	seen    []bool   // by pair: one was published
	pair    uint32   // being emitted
	encoded []byte
}

var (
	_ engine.Sink  = (*outlet)(nil)
	_ publish.Conn = (*outlet)(nil)

	errRefused = errors.New("simulate: the connection refused")
)

func newOutlet(w *world, run *Run, pairs int) (*outlet, error) {
	o := &outlet{
		w: w, c: newChance(w.plan.Seed, streamConn+1000*run.Number), run: run,
		refused: make([]uint64, pairs), seen: make([]bool, pairs),
	}
	encoding := publish.JSON
	if w.plan.BinaryOut {
		encoding = publish.Binary
	}
	var err error
	o.sink, err = publish.NewNATSSink(publish.NATSConfig{
		Conn: o, Clock: w.clock, Encoding: encoding, Instance: "simulated", Epoch: run.Number, Pairs: pairs,
	})
	return o, err
}

// Emit is the engine's call.
func (o *outlet) Emit(pair uint32, body *signal.Body, receiveNs int64) uint8 {
	o.pair, o.encoded = pair, signal.AppendBinary(nil, body)
	result := o.sink.Emit(pair, body, receiveNs)
	if result != uint8(publish.Published) {
		o.refused[pair]++
	}
	o.run.Emitted = append(o.run.Emitted, Emission{o.encoded, result})
	o.w.trace.bytes("emitted", append(o.encoded, result))
	if o.w.options.sabotage == sabotageLie {
		return uint8(publish.Published)
	}
	return result
}

// Publish is the publisher's call.
func (o *outlet) Publish(subject string, data []byte) error {
	if !o.w.options.PerfectConn && (o.failing > 0 || !o.w.quiet && o.c.hits(o.w.plan.ConnFail)) {
		return errRefused
	}
	if o.w.options.NoConsumer {
		return nil
	}
	o.consume(subject, data)
	if o.w.options.sabotage == sabotageRepeat && len(o.run.Emitted)%100 == 0 {
		o.consume(subject, data)
	}
	return nil
}

// consume is a consumer: what it decodes is what was decided, and its tracker misses exactly what was refused.
func (o *outlet) consume(subject string, data []byte) {
	body, trailer, err := signal.Decode(data)
	if err != nil {
		o.run.problem("output", "published on %s: %v", subject, err)
		return
	}
	if again := signal.AppendBinary(nil, &body); !bytes.Equal(again, o.encoded) {
		o.run.problem("output", "published on %s: %s is not what was decided", subject, data)
	}
	missed, duplicate, restarted := o.tracker.Observe(&body, trailer)
	want := o.refused[o.pair]
	if !o.seen[o.pair] {
		want = 0 // a consumer joins where it joins
	}
	if missed != want || duplicate || restarted {
		o.run.problem("output", "tracker of %s: missed %d of %d, duplicate %t, restarted %t", subject, missed, want, duplicate, restarted)
	}
	o.refused[o.pair], o.seen[o.pair] = 0, true
}

// problem notes a contract broken while the simulation runs.
func (r *Run) problem(contract, format string, a ...any) {
	r.Problems = append(r.Problems, Violation{Contract: contract, Run: r.Number, What: fmt.Sprintf(format, a...)})
}
