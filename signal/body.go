package signal

import (
	"errors"
	"fmt"
	"math"
)

// Version is the version of the record's form that this package writes.
const Version uint8 = 1

// Limits of names, in bytes. They bound every encoding and keep an escaped subject short.
const (
	PartitionBytesMax = 32
	SignalBytesMax    = 64
	VenueBytesMax     = 32
	SymbolBytesMax    = 96
	InstanceBytesMax  = 64
)

// undefinedBits is the one bit pattern of an undefined number: the canonical quiet NaN.
const undefinedBits uint64 = 0x7ff8000000000000

// Undefined returns the number that stands for 'no value'.
func Undefined() float64 { return math.Float64frombits(undefinedBits) }

// IsUndefined reports whether v counts as 'no value': every NaN and every infinity does.
func IsUndefined(v float64) bool { return v-v != 0 }

// Body is one decided signal. All of it is hashed; all of it is a function of the journal and the configuration.
type Body struct {
	Version        uint8   // as decoded; the encoders always write Version
	Partition      string  // 1 to PartitionBytesMax bytes
	Generation     uint32  // the configuration generation that decided
	Sequence       uint64  // the causing tick, in its partition
	OutputSequence uint64  // per subject, from 1, each one more than the last
	Signal         string  // 1 to SignalBytesMax bytes
	Venue          string  // 1 to VenueBytesMax bytes
	Symbol         string  // 1 to SymbolBytesMax bytes, the venue's own spelling
	ExchangeNs     int64   // Unix nanoseconds by the venue, 0 if it gave none
	EngineNs       int64   // engine time, Unix nanoseconds
	Action         Action  //
	Reason         Reason  // why a withdraw, else ReasonNone
	Value          float64 // the signal's value; may be undefined on a withdraw
	Side           float64 // positive buys, negative sells; undefined if the signal has none
	Strength       float64 // in the user's own unit; undefined if the signal has none
	HorizonNs      int64   // how far ahead the signal looks, nanoseconds, 0 if it has none
	ValidUntilNs   int64   // engine time after which it must not be acted upon, 0 if it does not expire
	Bid            float64 // last seen; undefined if never
	Ask            float64 // last seen; undefined if never
	Last           float64 // last trade price seen; undefined if never
	Flags          Flags   //
}

// Trailer says who published a signal and when. It is not hashed and not part of the stream copy.
type Trailer struct {
	Instance  string // the publishing process's name, 1 to InstanceBytesMax bytes
	Epoch     uint64 // grows each time an engine takes over the partition
	PublishNs int64  // wall clock at the publish call, Unix nanoseconds
	LatencyNs int64  // receive time of the causing tick to the publish call, nanoseconds
}

// Errors of records. Details are wrapped around them.
var (
	// ErrMalformed says that bytes are not a signal of any version this package can read.
	ErrMalformed = errors.New("signal: malformed record")
	// ErrUnsupported says that the record holds what must not be ignored and this version cannot read; upgrade the reader.
	ErrUnsupported = errors.New("signal: record needs a newer reader")
	// ErrName says that a name is empty or too long.
	ErrName = errors.New("signal: name empty or too long")
)

// Validate reports the first field that an encoder could not write and a decoder would refuse. It returns an error
// that wraps ErrName or ErrMalformed.
func (b *Body) Validate() error {
	if err := checkName("partition", b.Partition, PartitionBytesMax); err != nil {
		return err
	}
	if err := checkName("signal", b.Signal, SignalBytesMax); err != nil {
		return err
	}
	if err := checkName("venue", b.Venue, VenueBytesMax); err != nil {
		return err
	}
	if err := checkName("symbol", b.Symbol, SymbolBytesMax); err != nil {
		return err
	}
	if !b.Action.known() {
		return fmt.Errorf("%w: action %d", ErrMalformed, b.Action)
	}
	if b.OutputSequence == 0 {
		return fmt.Errorf("%w: output sequence 0; it counts from 1", ErrMalformed)
	}
	return nil
}

// Validate reports the first field that a decoder would refuse. It returns an error that wraps ErrName.
func (t *Trailer) Validate() error { return checkName("instance", t.Instance, InstanceBytesMax) }

func checkName(what, name string, bytesMax int) error {
	if len(name) == 0 || len(name) > bytesMax {
		return fmt.Errorf("%w: %s of %d bytes, want 1 to %d", ErrName, what, len(name), bytesMax)
	}
	return nil
}
