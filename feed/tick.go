package feed

import (
	"math"
	"unsafe"
)

// Kind says what a tick carries and so what its four values mean.
type Kind uint8

// The kinds of tick. Values are part of the journal: append only, never reuse.
const (
	KindInvalid   Kind = 0
	KindQuote     Kind = 1  // bid, bid size, ask, ask size; an absent side is NaN price and zero size
	KindTrade     Kind = 2  // price, size, aggressor (+1 buyer, -1 seller, 0 unknown), -
	KindDepth     Kind = 3  // side and level (see DepthValue), price, size, -
	KindStatus    Kind = 4  // Status value, -, -, -
	KindGap       Kind = 5  // GapReason value, count lost if known else 0, -, -
	KindHeartbeat Kind = 6  // -, -, -, - : moves engine time, belongs to no instrument
	KindReference Kind = 7  // name handle, value, -, -
	KindSeries    Kind = 8  // name handle, value, -, -
	KindFill      Kind = 9  // price, signed size, FillWhat, -
	KindControl   Kind = 10 // ControlVerb, ControlScope or Fact, signal index or -1 or the fact's value, note's number or 0
)

var kindNames = [...]string{
	"invalid", "quote", "trade", "depth", "status", "gap", "heartbeat",
	"reference", "series", "fill", "control",
}

// String returns the kind's lower-case name, as the native JSON codec spells it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Flags are bits about one tick. Bits are part of the journal: append only, never reuse.
type Flags uint8

// The tick flags.
const (
	FlagMore     Flags = 1 << 0 // the event continues in the source's next tick of this instrument
	FlagSnapshot Flags = 1 << 1 // part of a snapshot, not of a change
	FlagReplayed Flags = 1 << 2 // an old event sent again by the venue
)

// Status is the first value of a KindStatus tick.
type Status uint8

// The trading states.
const (
	StatusHalt   Status = 1
	StatusResume Status = 2
	StatusOpen   Status = 3
	StatusClose  Status = 4
	StatusReset  Status = 5 // session reset: clears what asks for it
)

// GapReason is the first value of a KindGap tick.
type GapReason uint8

// Why data is missing.
const (
	GapRingFull     GapReason = 1 // the source's ring was full; queued market data was discarded too
	GapDisconnect   GapReason = 2 // the transport lost its connection
	GapSlowConsumer GapReason = 3 // the transport dropped messages before they were decoded
	GapVenue        GapReason = 4 // the venue's own sequence numbers jumped
	GapDeclared     GapReason = 5 // the feed said so
	GapRejected     GapReason = 6 // a decoder rejected one tick of an event of several
)

// ControlVerb is the first value of a KindControl tick.
type ControlVerb uint8

// The control verbs.
const (
	ControlKill   ControlVerb = 1 // refuse enters and updates in scope, withdraw what is open
	ControlResume ControlVerb = 2 // undo a kill or reduce of the same scope, and with a note what latched in it
	ControlFact   ControlVerb = 3 // what the world outside is like: a Fact and its value
	ControlReduce ControlVerb = 4 // let only pass what reduces a position
	ControlLatch  ControlVerb = 5 // in force again from a run before: repeated entries of a pair (scope instrument), or all

	ControlTighten ControlVerb = 6 // a limit is tighter from now on, or as before: a Limit and its value
)

// Fact is the second value of a KindControl tick with ControlFact: something that a clock, a disk or another process
// says, written down so that a replay hears it at the same place. The third value is 1 while it holds and 0 once it is
// over; for FactDecode it is the number of the source.
type Fact uint8

// The facts. Values are part of the journal: append only, never reuse.
const (
	FactPeer     Fact = 1 // another instance of the partition has another build or configuration
	FactRecorder Fact = 2 // the journal trails, or this instance may not publish
	FactDisk     Fact = 3 // the disk is full
	FactDevice   Fact = 4 // a device failed, or computed otherwise than the CPU
	FactLatency  Fact = 5 // decisions come too late
	FactDeadman  Fact = 6 // the supervisor is silent
	FactDecode   Fact = 7 // a source sends what cannot be read

	FactCount = 8
)

var factNames = [FactCount]string{"none", "peer", "recorder", "disk", "device", "latency", "deadman", "decode"}

// String returns the fact's name, which is that of its gate.
func (f Fact) String() string {
	if int(f) < len(factNames) {
		return factNames[f]
	}
	return "unknown"
}

// FillWhat is the third value of a KindFill tick.
type FillWhat uint8

// What a fill tick says.
const (
	FillTrade     FillWhat = 0 // the size was bought (positive) or sold at the price
	FillPosition  FillWhat = 1 // the position is the size, whatever was known before; worth the price
	FillHeartbeat FillWhat = 2 // there is nothing new, and the source of fills lives; size 1: every position has just been told
)

// ControlScope is the second value of a KindControl tick.
type ControlScope uint8

// The control scopes.
const (
	ScopeAll        ControlScope = 1
	ScopeInstrument ControlScope = 2 // the tick's instrument
	ScopeSignal     ControlScope = 3 // the third value is the signal's index in the configuration
)

// AllInstruments in Tick.Instrument addresses every instrument of the tick's source.
const AllInstruments = ^uint32(0)

// TickSize is the size of a tick in memory, in the journal and on the wire.
const TickSize = 64

// Tick is one market event. Its memory layout, little-endian, is also its journal and wire layout:
//
//	0        8            16           24           28     29      30       32   40   48   56   64
//	| Seq u64 | ExchangeNs | ReceiveNs  | Instrument | Kind | Flags | Source | F0 | F1 | F2 | F3 |
//
// From a decoder to the sequencer, Seq is zero and Instrument is the source's own symbol handle
// (see Symbols); from the sequencer on, Seq is the partition's sequence number, from 1, and Instrument
// the engine's instrument id.
type Tick struct {
	Seq        uint64     // 0..8
	ExchangeNs int64      // 8..16   Unix nanoseconds by the venue, 0 if it gives none
	ReceiveNs  int64      // 16..24  Unix nanoseconds by the receiver
	Instrument uint32     // 24..28
	Kind       Kind       // 28
	Flags      Flags      // 29
	Source     uint16     // 30..32
	F          [4]float64 // 32..64  by kind
}

var (
	_ [TickSize]struct{} = [unsafe.Sizeof(Tick{})]struct{}{}
	_ [8]struct{}        = [unsafe.Offsetof(Tick{}.ExchangeNs)]struct{}{}
	_ [16]struct{}       = [unsafe.Offsetof(Tick{}.ReceiveNs)]struct{}{}
	_ [24]struct{}       = [unsafe.Offsetof(Tick{}.Instrument)]struct{}{}
	_ [28]struct{}       = [unsafe.Offsetof(Tick{}.Kind)]struct{}{}
	_ [29]struct{}       = [unsafe.Offsetof(Tick{}.Flags)]struct{}{}
	_ [30]struct{}       = [unsafe.Offsetof(Tick{}.Source)]struct{}{}
	_ [32]struct{}       = [unsafe.Offsetof(Tick{}.F)]struct{}{}
)

// CanonicalNaN is the one bit pattern of 'undefined' in ticks, rows, state and journals.
const CanonicalNaN uint64 = 0x7ff8000000000000

// NaN returns the canonical NaN.
func NaN() float64 { return math.Float64frombits(CanonicalNaN) }

// Code reads a value that stands for a small enumeration, such as a Status. It is 0, which no enumeration
// uses, for anything that is not a whole number from 0 to 255.
func Code(v float64) uint8 {
	if v >= 0 && v <= 255 {
		if code := uint8(v); float64(code) == v {
			return code
		}
	}
	return 0
}
