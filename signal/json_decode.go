package signal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// DecodeJSON reads one record in the JSON form. The trailer is nil if the record has none of its keys. Keys may come in any
// order, each once, spelt exactly; keys it does not know are ignored. Types are strict: a 64-bit integer is a string of
// digits, an undefined number is null, a missing key is an error. Errors wrap ErrMalformed, ErrUnsupported or ErrName;
// nothing is returned with an error.
func DecodeJSON(payload []byte) (Body, *Trailer, error) {
	f, err := splitObject(payload)
	if err != nil {
		return Body{}, nil, err
	}
	b := f.body()
	t := f.trailer()
	if f.err != nil {
		return Body{}, nil, f.err
	}
	if err := b.Validate(); err != nil {
		return Body{}, nil, err
	}
	if t != nil {
		if err := t.Validate(); err != nil {
			return Body{}, nil, err
		}
	}
	return b, t, nil
}

// fields holds an object's members and the first error met while reading them.
type fields struct {
	raw map[string]json.RawMessage
	err error
}

// splitObject finds the members of exactly one object. encoding/json alone would match keys in any case and let a
// second member of the same key win.
func splitObject(payload []byte) (*fields, error) {
	f := &fields{raw: make(map[string]json.RawMessage, 32)}
	d := json.NewDecoder(bytes.NewReader(payload))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, fmt.Errorf("%w: not a JSON object", ErrMalformed)
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		key, _ := token.(string) // inside an object a key is a string or Token fails
		if _, twice := f.raw[key]; twice {
			return nil, fmt.Errorf("%w: key %q twice", ErrMalformed, key)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("%w: key %q: %w", ErrMalformed, key, err)
		}
		f.raw[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something after the object", ErrMalformed)
	}
	return f, nil
}

func (f *fields) body() Body {
	b := Body{
		Version:        uint8(f.uint("v", 8)),
		Partition:      f.text("partition"),
		Generation:     uint32(f.uint("gen", 32)),
		Sequence:       f.uint64("seq"),
		OutputSequence: f.uint64("out_seq"),
		Signal:         f.text("signal"),
		Venue:          f.text("venue"),
		Symbol:         f.text("symbol"),
		ExchangeNs:     f.int64("exchange_ns"),
		EngineNs:       f.int64("engine_ns"),
		Value:          f.float("value"),
		Side:           f.float("side"),
		Strength:       f.float("strength"),
		HorizonNs:      f.int64("horizon_ns"),
		ValidUntilNs:   f.int64("valid_until_ns"),
		Bid:            f.float("bid"),
		Ask:            f.float("ask"),
		Last:           f.float("last"),
	}
	if b.Version == 0 {
		f.fail("v", "version 0")
	}
	action := f.text("action")
	var known bool
	if b.Action, known = ParseAction(action); !known && f.err == nil {
		f.err = fmt.Errorf("%w: action %q", ErrUnsupported, action)
	}
	b.Flags = f.flags("flags")
	if !f.isNull("reason") {
		b.Reason = parseReason(f.text("reason"))
	}
	if legs, ok := f.raw["legs"]; ok && !emptyList(legs) && f.err == nil {
		f.err = fmt.Errorf("%w: legs", ErrUnsupported)
	}
	return b
}

func (f *fields) trailer() *Trailer {
	if !f.anyOf("instance", "epoch", "publish_ns", "latency_ns") {
		return nil
	}
	return &Trailer{
		Instance:  f.text("instance"),
		Epoch:     f.uint64("epoch"),
		PublishNs: f.int64("publish_ns"),
		LatencyNs: f.int64("latency_ns"),
	}
}

func (f *fields) anyOf(keys ...string) bool {
	for _, key := range keys {
		if _, ok := f.raw[key]; ok {
			return true
		}
	}
	return false
}

func (f *fields) fail(key, why string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: key %q: %s", ErrMalformed, key, why)
	}
}

// read decodes a member that must be there into v.
func (f *fields) read(key string, v any) {
	raw, ok := f.raw[key]
	if !ok {
		f.fail(key, "missing")
		return
	}
	if err := json.Unmarshal(raw, v); err != nil {
		f.fail(key, err.Error())
	}
}

func (f *fields) isNull(key string) bool {
	raw, ok := f.raw[key]
	return ok && string(raw) == "null"
}

func (f *fields) text(key string) string {
	var s *string
	f.read(key, &s)
	if s == nil {
		f.fail(key, "want a string")
		return ""
	}
	return *s
}

func (f *fields) flags(key string) Flags {
	var names []*string
	f.read(key, &names)
	if names == nil {
		f.fail(key, "want a list of strings")
	}
	var all Flags
	for _, name := range names {
		if name == nil {
			f.fail(key, "want a list of strings")
			return 0
		}
		all |= parseFlag(*name)
	}
	return all
}

func (f *fields) float(key string) float64 {
	var v *float64
	f.read(key, &v)
	if v == nil {
		return Undefined()
	}
	return *v
}

func (f *fields) uint(key string, bits int) uint64 {
	raw := string(f.raw[key])
	v, err := strconv.ParseUint(raw, 10, bits)
	if err != nil {
		f.fail(key, "want an integer of "+strconv.Itoa(bits)+" bits")
	}
	return v
}

func (f *fields) uint64(key string) uint64 {
	s := f.text(key)
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil || strconv.FormatUint(v, 10) != s {
		f.fail(key, "want an unsigned 64-bit integer as a string")
	}
	return v
}

func (f *fields) int64(key string) int64 {
	s := f.text(key)
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || strconv.FormatInt(v, 10) != s {
		f.fail(key, "want a 64-bit integer as a string")
	}
	return v
}

func emptyList(raw json.RawMessage) bool {
	var list []json.RawMessage
	return json.Unmarshal(raw, &list) == nil && len(list) == 0
}
