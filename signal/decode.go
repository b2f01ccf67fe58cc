package signal

import "fmt"

// Decode reads one payload in either form: an object in JSON begins with '{', the binary form with 'S'. The trailer is
// nil if the payload has none, as in the stream copy. Errors wrap ErrMalformed, ErrUnsupported or ErrName; nothing is
// returned with an error.
func Decode(payload []byte) (Body, *Trailer, error) {
	if len(payload) == 0 {
		return Body{}, nil, fmt.Errorf("%w: empty payload", ErrMalformed)
	}
	switch payload[0] {
	case '{':
		return DecodeJSON(payload)
	case magic:
		return DecodeBinary(payload)
	}
	return Body{}, nil, fmt.Errorf("%w: first byte %#02x is neither JSON nor the binary form", ErrMalformed, payload[0])
}
