package journal

// OutcomeAppender is risk's door to the journal: what became of each decided signal. One goroutine.
type OutcomeAppender struct {
	bytes  []byte // the open block
	count  int
	number uint64 // of the next outcome
	out    handOver
}

// Append journals the outcome of a decided signal: its body, as signal.AppendBinary encodes it, and a result code. It
// copies and returns; it waits only when every block is in flight. A body larger than a block fails the journal with
// ErrTooLarge.
func (a *OutcomeAppender) Append(body []byte, result uint8) {
	size := outcomeFixedBytes + len(body)
	if len(a.bytes)+size > cap(a.bytes) {
		a.handOver()
		if size > cap(a.bytes) {
			a.out.writer.tooLarge(len(body))
			return
		}
	}
	a.bytes = appendOutcome(a.bytes, body, result)
	a.count++
}

// Flush hands over what is in the open block. The owner calls it when idle and every few milliseconds.
func (a *OutcomeAppender) Flush() {
	a.handOver()
	if a.out.writer.options.Inline {
		a.out.writer.drainAll()
	}
}

func (a *OutcomeAppender) handOver() {
	if a.count == 0 {
		return
	}
	if slot := a.out.slot(); slot != nil {
		slot.typ, slot.count, slot.first = TypeOutcome, a.count, a.number
		slot.bytes, a.bytes = a.bytes, slot.bytes
		a.out.ring.Commit(1)
	}
	a.number += uint64(a.count)
	a.bytes, a.count = a.bytes[:0], 0
}
