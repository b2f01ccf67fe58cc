package signal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Prefixes of subjects.
const (
	// PrefixLive begins the subjects of signals on core NATS: sig.v1.<signal>.<venue>.<symbol>.
	PrefixLive = "sig.v1"
	// PrefixStream begins the subjects of the stream copy: sigx.<partition>.<signal>.<venue>.<symbol>.
	PrefixStream = "sigx"
)

// ErrSubject says that a text is not a subject, or a name cannot be part of one.
var ErrSubject = errors.New("signal: bad subject")

// Parts is what a subject says. Prefix is as in the subject, the names are unescaped.
type Parts struct {
	Prefix, Signal, Venue, Symbol string
}

// Subject returns <prefix>.<signal>.<venue>.<symbol> with the names escaped. The prefix is one or more tokens joined by
// dots, used as it is. Errors wrap ErrSubject.
func Subject(prefix, signal, venue, symbol string) (string, error) {
	if err := checkPrefix(prefix); err != nil {
		return "", err
	}
	dst := make([]byte, 0, len(prefix)+3+3*(len(signal)+len(venue)+len(symbol)))
	dst = append(dst, prefix...)
	for _, name := range [...]string{signal, venue, symbol} {
		if name == "" {
			return "", fmt.Errorf("%w: empty name", ErrSubject)
		}
		dst = AppendEscaped(append(dst, '.'), name)
	}
	return string(dst), nil
}

// StreamSubject returns <prefix>.<partition>.<signal>.<venue>.<symbol> with the names escaped. Errors wrap ErrSubject.
func StreamSubject(prefix, partition, signal, venue, symbol string) (string, error) {
	token, err := Escape(partition)
	if err != nil {
		return "", err
	}
	return Subject(prefix+"."+token, signal, venue, symbol)
}

// ParseSubject takes apart what Subject and StreamSubject return; of the latter, the escaped partition is the last token
// of Prefix. Errors wrap ErrSubject.
func ParseSubject(subject string) (Parts, error) {
	var p Parts
	rest := subject
	for _, name := range []*string{&p.Symbol, &p.Venue, &p.Signal} {
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			return Parts{}, fmt.Errorf("%w: %q has too few tokens", ErrSubject, subject)
		}
		var err error
		if *name, err = Unescape(rest[dot+1:]); err != nil {
			return Parts{}, err
		}
		rest = rest[:dot]
	}
	if err := checkPrefix(rest); err != nil {
		return Parts{}, err
	}
	p.Prefix = rest
	return p, nil
}

func checkPrefix(prefix string) error {
	for token := range strings.SplitSeq(prefix, ".") {
		if token == "" || strings.ContainsAny(token, "*> \t\r\n\x00") {
			return fmt.Errorf("%w: prefix %q", ErrSubject, prefix)
		}
	}
	return nil
}

const hexUpper = "0123456789ABCDEF"

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// AppendEscaped appends name as one subject token: every byte outside [A-Za-z0-9_-] as % and two upper-case hex digits.
// An empty name appends nothing; Escape refuses it.
func AppendEscaped(dst []byte, name string) []byte {
	for i := range len(name) {
		if c := name[i]; isPlain(c) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', hexUpper[c>>4], hexUpper[c&15])
		}
	}
	return dst
}

// Escape returns name as one subject token. An empty name is refused with an error that wraps ErrSubject.
func Escape(name string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("%w: empty name", ErrSubject)
	}
	return string(AppendEscaped(make([]byte, 0, 3*len(name)), name)), nil
}

// Unescape returns the name of a token. Only what Escape writes is accepted, so that a name has one token and a token
// one name. Errors wrap ErrSubject.
func Unescape(token string) (string, error) {
	if token == "" {
		return "", fmt.Errorf("%w: empty token", ErrSubject)
	}
	name := make([]byte, 0, len(token))
	for i := 0; i < len(token); i++ {
		c := token[i]
		switch {
		case isPlain(c):
			name = append(name, c)
			continue
		case c != '%' || i+2 >= len(token):
			return "", fmt.Errorf("%w: token %q at byte %d", ErrSubject, token, i)
		}
		high, low := strings.IndexByte(hexUpper, token[i+1]), strings.IndexByte(hexUpper, token[i+2])
		if high < 0 || low < 0 || isPlain(byte(high<<4|low)) {
			return "", fmt.Errorf("%w: token %q at byte %d", ErrSubject, token, i)
		}
		name = append(name, byte(high<<4|low))
		i += 2
	}
	return string(name), nil
}

// MessageID returns the id under which the stream copy of a signal is published in exact mode: subject and output sequence.
func MessageID(subject string, outputSequence uint64) string {
	return string(AppendMessageID(nil, subject, outputSequence))
}

// AppendMessageID is MessageID into a buffer.
func AppendMessageID(dst []byte, subject string, outputSequence uint64) []byte {
	return strconv.AppendUint(append(append(dst, subject...), ':'), outputSequence, 10)
}

// AppendMessageIDEpoch appends the id used outside exact mode, where a restarted engine counts anew: it ends with the epoch.
func AppendMessageIDEpoch(dst []byte, subject string, outputSequence, epoch uint64) []byte {
	return strconv.AppendUint(append(AppendMessageID(dst, subject, outputSequence), ':'), epoch, 10)
}
