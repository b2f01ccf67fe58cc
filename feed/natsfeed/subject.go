package natsfeed

import (
	"errors"
	"fmt"
	"strings"
)

// ErrSubject is wrapped by every error of ValidateSubject.
var ErrSubject = errors.New("natsfeed: bad subject")

const subjectBytesMax = 1024

// ValidateSubject reports why a subject, perhaps with wildcards, cannot be subscribed to, or returns nil.
func ValidateSubject(subject string) error {
	if subject == "" {
		return fmt.Errorf("%w: it is empty; give one such as md.>", ErrSubject)
	}
	if len(subject) > subjectBytesMax {
		return fmt.Errorf("%w: %d bytes; at most %d", ErrSubject, len(subject), subjectBytesMax)
	}
	if strings.ContainsFunc(subject, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("%w %q: no spaces or control characters", ErrSubject, subject)
	}
	tokens := strings.Split(subject, ".")
	for i, token := range tokens {
		switch {
		case token == "":
			return fmt.Errorf("%w %q: token %d is empty", ErrSubject, subject, i+1)
		case token == ">" && i != len(tokens)-1:
			return fmt.Errorf("%w %q: > may only come last", ErrSubject, subject)
		case len(token) > 1 && strings.ContainsAny(token, "*>"):
			return fmt.Errorf("%w %q: a wildcard must be a token of its own", ErrSubject, subject)
		}
	}
	return nil
}
