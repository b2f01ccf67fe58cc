package engine

import (
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/risk"
	"github.com/sigengine/sigengine/signal"
)

// Sink receives decided signals in order, on the desk's goroutine. It must not block for longer than it documents.
type Sink interface {
	// Emit takes one decided signal; pair identifies signal and instrument, receiveNs is the receive time of the causing
	// tick. The body is valid until Emit returns. The result is 0 for success and is journaled.
	Emit(pair uint32, body *signal.Body, receiveNs int64) (result uint8)
}

// RefusalSink receives refused signals in order, on the desk's goroutine. It must not block for longer than it documents.
type RefusalSink interface {
	// Refuse takes one; pair identifies signal and instrument, receiveNs is the receive time of the causing tick. The rejection
	// is valid until Refuse returns.
	Refuse(pair uint32, rejection *signal.Rejection, receiveNs int64)
}

// Preparer is a Sink that wants to know a pair before its first signal, so that Emit need not allocate.
type Preparer interface {
	Prepare(pair uint32, signalName, venue, symbol string)
}

// decided takes what the desk decided: hash, sink, journal, in this order. It is the desk's Taker.
type decided struct {
	sink      Sink
	refusals  RefusalSink
	outcomes  *journal.OutcomeAppender
	hash      *signal.OutputHash
	encoded   []byte
	receiveNs int64 // of the event being applied
	counts    *Counts
}

func newDecided(ports Ports, counts *Counts) *decided {
	return &decided{
		sink: ports.Sink, refusals: ports.Refusals, outcomes: ports.Outcomes, hash: signal.NewOutputHash(),
		encoded: make([]byte, 0, signal.BodyBytesMax), counts: counts,
	}
}

// Refuse hands a refused signal on. It is no part of the hash.
func (d *decided) Refuse(pair uint32, _ risk.Gate, rejection *signal.Rejection) {
	if d.refusals != nil {
		d.refusals.Refuse(pair, rejection, d.receiveNs)
	}
}

// Take takes one decided signal.
func (d *decided) Take(pair uint32, body *signal.Body) {
	d.encoded = signal.AppendBinary(d.encoded[:0], body)
	d.hash.AddEncoded(d.encoded)
	result := uint8(0)
	if d.sink != nil {
		result = d.sink.Emit(pair, body, d.receiveNs)
	}
	d.counts.Signals.Add(1)
	if result != 0 {
		d.counts.SinkErrors.Add(1)
	}
	if d.outcomes != nil {
		d.outcomes.Append(d.encoded, result)
	}
}
