package wire

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/feed"
)

// How often an Encoder defines a symbol again, so that a consumer that joined late or missed a frame knows
// it: whichever comes first.
const (
	RedefineNs     = 100_000_000
	RedefineFrames = 256
)

// Errors of an Encoder.
var (
	// ErrFrameSize: the ticks do not fit in one frame. Give AppendFrame fewer at a time.
	ErrFrameSize = errors.New("wire: too many ticks or definitions for one frame")
	// ErrTick: a consumer would reject the tick. The error says why.
	ErrTick = errors.New("wire: tick would be rejected")
)

// NewSession returns a random session id for an Encoder. Every run of a producer needs its own, so that a
// consumer never mixes the handles of two.
func NewSession() (uint64, error) {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return 0, fmt.Errorf("wire: no random session id: %w", err)
	}
	return binary.LittleEndian.Uint64(id[:]), nil
}

// Encoder makes binary frames. It belongs to one goroutine.
type Encoder struct {
	session uint64
	symbols *feed.Symbols
	frame   uint64
	defined []definedAt // by handle
}

// definedAt is when a symbol was last defined.
type definedAt struct {
	frame uint64 // from 1; 0 is never
	ns    int64
}

// NewEncoder returns an encoder for ticks whose Instrument is a handle of symbols. Names must be UTF-8, or
// consumers refuse them. The session comes from NewSession.
func NewEncoder(symbols *feed.Symbols, session uint64) *Encoder {
	return &Encoder{session: session, symbols: symbols, defined: make([]definedAt, min(symbols.Cap(), handlesMax))}
}

// AppendFrame appends to frame, which may be nil, one frame with ticks in their order, and returns it.
// venueSeq holds the venue's sequence number of each tick, 0 for none, and is as long as ticks; nil is none at
// all. A tick's Seq, ReceiveNs and Source are not sent. nowNs is the time by any clock that does not jump; it
// decides when symbols are defined again. Nothing is allocated if frame has room.
//
// On an error, ErrTick or ErrFrameSize, the frame comes back as it was given.
func (e *Encoder) AppendFrame(frame []byte, nowNs int64, ticks []feed.Tick, venueSeq []uint64) ([]byte, error) {
	for i := range ticks {
		tick := ticks[i]
		why := valid(&tick)
		if why == feed.RejectNone && !e.addressed(&tick) {
			why = feed.RejectUnknownHandle
		}
		if why != feed.RejectNone {
			return frame, fmt.Errorf("%w: number %d: %s", ErrTick, i, why)
		}
	}
	start := len(frame)
	if len(ticks) > feed.MessageBytesMax/feed.TickSize {
		return frame, ErrFrameSize
	}
	e.frame++
	frame = appendHeader(frame, header{ticks: len(ticks), session: e.session})
	definitions := 0
	for i := range ticks {
		if handle := ticks[i].Instrument; e.due(handle, nowNs) {
			frame = e.appendDefinition(frame, handle, nowNs)
			definitions++
		}
	}
	if definitions > 1<<16-1 || len(frame)-start+len(ticks)*feed.TickSize > feed.MessageBytesMax {
		clear(e.defined) // what this frame defined was not sent
		return frame[:start], ErrFrameSize
	}
	binary.LittleEndian.PutUint16(frame[start+6:], uint16(definitions))
	for i := range ticks {
		sequence := uint64(0)
		if venueSeq != nil {
			sequence = venueSeq[i]
		}
		frame = appendTick(frame, &ticks[i], sequence)
	}
	return frame, nil
}

// addressed reports whether a tick's instrument is one that can be sent.
func (e *Encoder) addressed(tick *feed.Tick) bool {
	if tick.Instrument == feed.AllInstruments {
		return tick.Kind == feed.KindGap
	}
	return int64(tick.Instrument) < int64(e.symbols.Len()) && int64(tick.Instrument) < int64(len(e.defined))
}

// due reports whether the frame being built has to define handle. A clock that went back defines too.
func (e *Encoder) due(handle uint32, nowNs int64) bool {
	if handle == feed.AllInstruments {
		return false
	}
	last := e.defined[handle]
	age := nowNs - last.ns
	return last.frame == 0 || e.frame-last.frame >= RedefineFrames || age >= RedefineNs || age < 0
}

func (e *Encoder) appendDefinition(frame []byte, handle uint32, nowNs int64) []byte {
	e.defined[handle] = definedAt{frame: e.frame, ns: nowNs}
	symbol := e.symbols.At(handle)
	frame = binary.LittleEndian.AppendUint32(frame, handle)
	frame = append(frame, byte(len(symbol.Venue)), byte(len(symbol.Name)))
	frame = append(frame, symbol.Venue...)
	return append(frame, symbol.Name...)
}
