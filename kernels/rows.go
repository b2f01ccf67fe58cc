package kernels

import "github.com/sigengine/sigengine/kernels/program"

// rowWords builds the three masks of a row for all signals at once: what is known of each signal becomes a bit of
// a word, and the rules are applied to whole words.
//
//	evaluated  = enabled & fresh
//	when       = evaluated & defined & wanted
//	exit       = evaluated & defined & left
//	suppressed = evaluated & (^known | (wanted | left) & ^defined)
type rowWords struct {
	fresh, defined, known, wanted, left bitWord
}

// bitWord collects bits by the mask that sets them, so that signals with one mask cost one instruction.
type bitWord struct {
	masks []program.Value
	bits  []uint64
}

func (w *bitWord) set(signal int, mask program.Value) {
	for i, m := range w.masks {
		if m == mask {
			w.bits[i] |= 1 << signal
			return
		}
	}
	w.masks = append(w.masks, mask)
	w.bits = append(w.bits, 1<<signal)
}

// value emits the word.
func (w *bitWord) value(b *program.Builder) program.Value {
	word := b.ConstI(0)
	for i, mask := range w.masks {
		word = b.Or(word, b.And(b.ConstI(int64(w.bits[i])), mask))
	}
	return word
}

// add adds the bits of one signal. exit is false on every tick for a signal without one.
func (w *rowWords) add(b *program.Builder, signal int, val, when, exit value) {
	w.fresh.set(signal, val.fresh)
	w.defined.set(signal, b.Defined(val.number))
	w.known.set(signal, b.Or(when.isTrue, when.isFalse))
	w.wanted.set(signal, when.isTrue)
	w.left.set(signal, exit.isTrue)
}

// emit writes the masks and returns the word of the signals that fire.
func (w *rowWords) emit(b *program.Builder) (fires program.Value) {
	evaluated := b.And(b.Load(0, program.I), w.fresh.value(b))
	defined, wanted, left := w.defined.value(b), w.wanted.value(b), w.left.value(b)
	usable := b.And(evaluated, defined)
	when, exit := b.And(usable, wanted), b.And(usable, left)
	stuck := b.Andn(b.Or(wanted, left), defined)
	suppressed := b.Or(b.Andn(evaluated, w.known.value(b)), b.And(evaluated, stuck))
	b.EmitMask(program.RowWhen, when)
	b.EmitMask(program.RowExit, exit)
	b.EmitMask(program.RowSuppressed, suppressed)
	return b.Or(when, exit)
}

// signalMask is the mask of one signal's bit in a word.
func signalMask(b *program.Builder, word program.Value, signal int) program.Value {
	bit := b.ConstI(int64(uint64(1) << signal))
	return b.Ieq(b.And(word, bit), bit)
}
