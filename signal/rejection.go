package signal

import (
	"fmt"
	"strconv"
)

// PrefixRejected begins the subjects of rejections on core NATS: rej.v1.<gate>.<venue>.<symbol>.
const PrefixRejected = "rej.v1"

// Rejection is a signal that a risk gate kept from leaving. It is a function of the journal and the configuration, as a
// Body is, and is not hashed. Not every rejection is published while there are many; Number says how many there were.
type Rejection struct {
	Version    uint8   // as decoded; the encoder always writes Version
	Partition  string  //
	Generation uint32  //
	Sequence   uint64  // the causing tick
	Number     uint64  // rejections of the signal on the instrument so far, by any gate, this one included
	Gate       string  // the first gate that refused
	Signal     string  //
	Venue      string  //
	Symbol     string  //
	ExchangeNs int64   // Unix nanoseconds by the venue, 0 if it gave none
	EngineNs   int64   // engine time, Unix nanoseconds
	Action     Action  // what it would have been
	Value      float64 // may be undefined
	Side       float64 // undefined if the signal has none
	Bid        float64 // last seen; undefined if never
	Ask        float64 // last seen; undefined if never
	Last       float64 // last trade price seen; undefined if never
	Flags      Flags   //
}

// AppendRejectionJSON appends a rejection as one JSON object, in the manner of AppendJSON. With valid names it takes at
// most JSONBytesMax bytes.
func AppendRejectionJSON(dst []byte, r *Rejection) []byte {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendUint(dst, uint64(Version), 10)
	dst = appendJSONName(dst, `,"partition":`, r.Partition)
	dst = append(dst, `,"gen":`...)
	dst = strconv.AppendUint(dst, uint64(r.Generation), 10)
	dst = appendJSONUint(dst, `,"seq":"`, r.Sequence)
	dst = appendJSONUint(dst, `,"number":"`, r.Number)
	dst = appendJSONName(dst, `,"gate":`, r.Gate)
	dst = appendJSONName(dst, `,"signal":`, r.Signal)
	dst = appendJSONName(dst, `,"venue":`, r.Venue)
	dst = appendJSONName(dst, `,"symbol":`, r.Symbol)
	dst = appendJSONInt(dst, `,"exchange_ns":"`, r.ExchangeNs)
	dst = appendJSONInt(dst, `,"engine_ns":"`, r.EngineNs)
	dst = append(dst, `,"action":"`...)
	dst = append(dst, r.Action.String()...)
	dst = append(dst, '"')
	dst = appendJSONFloat(dst, `,"value":`, r.Value)
	dst = appendJSONFloat(dst, `,"side":`, r.Side)
	dst = appendJSONFloat(dst, `,"bid":`, r.Bid)
	dst = appendJSONFloat(dst, `,"ask":`, r.Ask)
	dst = appendJSONFloat(dst, `,"last":`, r.Last)
	return append(appendJSONFlags(dst, r.Flags), '}')
}

// DecodeRejectionJSON reads one rejection, as strictly as DecodeJSON. Errors wrap ErrMalformed, ErrUnsupported or ErrName.
func DecodeRejectionJSON(payload []byte) (Rejection, error) {
	f, err := splitObject(payload)
	if err != nil {
		return Rejection{}, err
	}
	r := Rejection{
		Version: uint8(f.uint("v", 8)), Partition: f.text("partition"), Generation: uint32(f.uint("gen", 32)),
		Sequence: f.uint64("seq"), Number: f.uint64("number"), Gate: f.text("gate"),
		Signal: f.text("signal"), Venue: f.text("venue"), Symbol: f.text("symbol"),
		ExchangeNs: f.int64("exchange_ns"), EngineNs: f.int64("engine_ns"),
		Value: f.float("value"), Side: f.float("side"), Bid: f.float("bid"), Ask: f.float("ask"), Last: f.float("last"),
		Flags: f.flags("flags"),
	}
	action := f.text("action")
	var known bool
	if r.Action, known = ParseAction(action); !known && f.err == nil {
		f.err = fmt.Errorf("%w: action %q", ErrUnsupported, action)
	}
	if r.Version == 0 {
		f.fail("v", "version 0")
	}
	if f.err != nil {
		return Rejection{}, f.err
	}
	for _, name := range [...]struct {
		what, name string
		most       int
	}{
		{"partition", r.Partition, PartitionBytesMax},
		{"gate", r.Gate, SignalBytesMax},
		{"signal", r.Signal, SignalBytesMax},
		{"venue", r.Venue, VenueBytesMax},
		{"symbol", r.Symbol, SymbolBytesMax},
	} {
		if err := checkName(name.what, name.name, name.most); err != nil {
			return Rejection{}, err
		}
	}
	return r, nil
}
