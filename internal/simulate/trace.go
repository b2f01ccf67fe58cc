package simulate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// trace is the running hash of everything that happened, in order. Two simulations of one seed have the same.
type trace struct {
	state hash.Hash
	word  [8]byte
	log   io.Writer // nil: none
	world *world
}

func newTrace(w *world, log io.Writer) *trace { return &trace{state: sha256.New(), log: log, world: w} }

// event adds what happened and up to a few numbers about it.
func (t *trace) event(what string, numbers ...uint64) {
	io.WriteString(t.state, what)
	for _, n := range append(numbers, uint64(t.world.nowNs)) {
		binary.LittleEndian.PutUint64(t.word[:], n)
		t.state.Write(t.word[:])
	}
	if t.log != nil {
		fmt.Fprintln(t.log, t.world.nowNs-startNs, what, numbers)
	}
}

// bytes adds bytes.
func (t *trace) bytes(what string, p []byte) {
	t.event(what, uint64(len(p)))
	t.state.Write(p)
}

func (t *trace) sum() string { return hex.EncodeToString(t.state.Sum(nil)) }
