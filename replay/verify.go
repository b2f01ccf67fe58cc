package replay

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/replay/journal"
	"github.com/sigengine/sigengine/signal"
)

// EndBlob is the name of the blob that a run writes when it ends in good order.
const EndBlob = "end"

// End is what the end blob says.
type End struct {
	Signals    uint64 `json:"signals"`
	OutputHash string `json:"output_hash"`
}

// EncodeEnd returns the text of an end blob.
func EncodeEnd(e End) ([]byte, error) { return json.Marshal(e) }

// Difference is the first decided signal in which two accounts of a run differ.
type Difference struct {
	Number uint64       // of the signal, from 1
	A, B   *signal.Body // nil: that side has no more
}

// String describes the difference in a few lines.
func (d *Difference) String() string {
	return fmt.Sprintf("signal %d:\n  a: %s\n  b: %s", d.Number, describe(d.A), describe(d.B))
}

func describe(b *signal.Body) string {
	if b == nil {
		return "nothing"
	}
	return string(signal.AppendJSON(nil, b, nil))
}

// Verification is the outcome of Verify.
type Verification struct {
	Result
	Compared   uint64      // signals that were both recorded and recomputed
	Difference *Difference // the first; nil: none. A is what was recorded, B what was recomputed
	// EndDiffers says what a run said of its whole output when it ended and the recomputed run does not; empty: they agree.
	// With all signals alike it means that the journal's last word is damaged, or signals and end of different runs.
	EndDiffers string
	// Unended says that the last run did not end in good order, and Unmatched how many signals at its end are in only one of the
	// two accounts: what the process had not yet written when it died.
	Unended   bool
	Unmatched uint64
}

// Verify recomputes a run from its journal and compares every signal with what was decided then.
func Verify(store journal.Store, options Options) (Verification, error) {
	v := &verifier{}
	if s := options.From; s != nil {
		options.whole = true // outcomes are recorded beside the ticks, and may be before or behind them
		v.fromRun, v.from = s.Run, s.State.Sequence
	}
	sink := options.Sink
	options.Sink = tee{v: v, next: sink}
	blocks := options.Blocks
	options.Blocks = func(b *journal.Block) {
		v.block(b)
		if blocks != nil {
			blocks(b)
		}
	}
	shape := options.Shape
	options.Shape = func(c *engine.Config) {
		if shape != nil {
			shape(c)
		}
		c.Mode = engine.ModeFused // recomputed signals arrive on this goroutine
	}
	options.Begin = func(uint64) { v.settle() }
	end := options.End
	options.End = func(run uint64, hash string) {
		v.hash = hash
		if end != nil {
			end(run, hash)
		}
	}
	result, err := Play(store, options)
	v.out.Result = result
	if err != nil {
		return v.out, err
	}
	v.settle()
	return v.out, nil
}

// verifier holds what one side has and the other has not yet.
type verifier struct {
	out      Verification
	recorded queue
	now      queue
	end      *End
	hash     string // of what was recomputed
	begun    bool
	lastSeq  uint64 // of the run's journaled ticks
	fromRun  uint64 // run of the snapshot that it began with, 0: none
	from     uint64 // the snapshot's last tick
}

// queue is encoded bodies in order.
type queue struct {
	bodies [][]byte
	head   int
}

func (q *queue) push(body []byte) { q.bodies = append(q.bodies, bytes.Clone(body)) }
func (q *queue) len() int         { return len(q.bodies) - q.head }

func (q *queue) pop() []byte {
	body := q.bodies[q.head]
	q.bodies[q.head] = nil
	q.head++
	if q.head == len(q.bodies) {
		q.bodies, q.head = q.bodies[:0], 0
	}
	return body
}

func (v *verifier) block(b *journal.Block) {
	v.begun = true
	if ticks := b.Ticks(); len(ticks) > 0 {
		v.lastSeq = ticks[len(ticks)-1].Seq
	}
	for o := range b.Outcomes() {
		if b.Run == v.fromRun && decode(o.Body).Sequence <= v.from {
			continue
		}
		v.recorded.push(o.Body)
	}
	if blob, ok := b.Blob(); ok && blob.Name == EndBlob && !b.Repeated {
		end := &End{}
		if json.Unmarshal(blob.Data, end) == nil {
			v.end = end
		}
	}
	v.match()
}

func (v *verifier) match() {
	for v.recorded.len() > 0 && v.now.len() > 0 {
		a, b := v.recorded.pop(), v.now.pop()
		v.out.Compared++
		if v.out.Difference == nil && !bytes.Equal(a, b) {
			v.out.Difference = &Difference{Number: v.out.Compared, A: decode(a), B: decode(b)}
		}
	}
}

// settle ends a run: after a good end both sides must have the same; after a bad one, the end of either may be missing.
func (v *verifier) settle() {
	if !v.begun {
		return
	}
	v.match()
	left := uint64(v.recorded.len() + v.now.len())
	v.out.Unended = v.end == nil
	if v.end == nil {
		v.out.Unmatched += left
		// What was recorded of a tick that the journal holds must have been recomputed.
		if v.recorded.len() > 0 && v.out.Difference == nil {
			if a := decode(v.recorded.pop()); a.Sequence <= v.lastSeq {
				v.out.Difference = &Difference{Number: v.out.Compared + 1, A: a}
			}
		}
	} else if left > 0 && v.out.Difference == nil {
		d := &Difference{Number: v.out.Compared + 1}
		if v.recorded.len() > 0 {
			d.A = decode(v.recorded.pop())
		} else {
			d.B = decode(v.now.pop())
		}
		v.out.Difference = d
	} else if v.end.OutputHash != v.hash && v.out.Difference == nil && v.out.EndDiffers == "" {
		v.out.EndDiffers = fmt.Sprintf("at its end the run said output %s of %d signals; recomputed it is %s", v.end.OutputHash, v.end.Signals, v.hash)
	}
	v.recorded, v.now, v.end, v.begun, v.lastSeq = queue{}, queue{}, nil, false, 0
}

func decode(encoded []byte) *signal.Body {
	body, _, err := signal.DecodeBinary(encoded)
	if err != nil {
		body = signal.Body{Signal: err.Error()}
	}
	return &body
}

// tee gives recomputed signals to the verifier, and to another sink if there is one.
type tee struct {
	v    *verifier
	next engine.Sink
}

var _ engine.Sink = tee{}

// Emit takes a recomputed signal.
func (t tee) Emit(pair uint32, body *signal.Body, receiveNs int64) uint8 {
	t.v.now.push(signal.AppendBinary(nil, body))
	if t.next != nil {
		return t.next.Emit(pair, body, receiveNs)
	}
	return 0
}
