package engine

import (
	"fmt"
	"sync"

	"github.com/sigengine/sigengine/feed"
)

// NoteBlob is the name of the journal's blobs that say who gave a command and why.
const NoteBlob = "note"

// Note says who gave a command, when and why. It is journaled before the command's tick, whose last value is Number.
type Note struct {
	Number     uint64 // from 1 in a run
	Sequence   uint64 // of the tick
	AtNs       int64  // when it was given, by the engine's clock
	Verb       string
	Scope      string // of a change of a limit: limit=value
	Signal     string // empty: of none
	Instrument string // venue.symbol, empty: of none
	By         string
	Reason     string
}

// String returns the note on one line, as it is journaled.
func (n *Note) String() string {
	return fmt.Sprintf("note=%d seq=%d at_ns=%d verb=%s scope=%s signal=%q instrument=%q by=%q reason=%q",
		n.Number, n.Sequence, n.AtNs, n.Verb, n.Scope, n.Signal, n.Instrument, n.By, n.Reason)
}

// notes are those of commands that are queued.
type notes struct {
	mutex  sync.Mutex
	last   uint64
	queued []Note
}

// put keeps a command's note and returns its number.
func (n *notes) put(c Command, atNs int64) float64 {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.last++
	note := Note{
		Number: n.last, AtNs: atNs, By: c.By, Reason: c.Reason,
		Verb: verbNames[min(int(c.Verb), len(verbNames)-1)], Scope: scopeNames[min(int(c.Scope), len(scopeNames)-1)],
	}
	if c.Scope == feed.ScopeInstrument {
		note.Instrument = c.Symbol.Venue + "." + c.Symbol.Name
	}
	if c.Verb == feed.ControlTighten {
		note.Scope = fmt.Sprintf("%s=%v", c.Limit, c.Value)
	}
	n.queued = append(n.queued, note)
	return float64(n.last)
}

var (
	verbNames  = []string{"", "kill", "resume", "fact", "reduce", "latch", "tighten"}
	scopeNames = []string{"", "all", "instrument", "signal"}
)

// take returns the note of a command's tick.
func (n *notes) take(number float64) (note Note, ok bool) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for i := range n.queued {
		if float64(n.queued[i].Number) == number {
			note = n.queued[i]
			n.queued = append(n.queued[:i], n.queued[i+1:]...)
			return note, true
		}
	}
	return Note{}, false
}

// journalNote writes a command's note before its tick. It allocates; commands are few.
func (e *Engine) journalNote(tick *feed.Tick) {
	note, ok := e.notes.take(tick.F[3])
	if !ok || e.ports.Ticks == nil {
		return
	}
	note.Sequence = tick.Seq
	if i := tick.F[2]; feed.ControlVerb(tick.F[0]) != feed.ControlTighten && i >= 0 && int(i) < len(e.config.Desk.Rules) {
		note.Signal = e.config.Desk.Rules[int(i)].Name
	}
	if err := e.ports.Ticks.Blob(NoteBlob, []byte(note.String())); err != nil {
		e.counts.NotesLost.Add(1) // the command matters more than its note
	}
}
