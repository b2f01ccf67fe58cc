package natsconn

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"

	"github.com/nats-io/nats.go"
)

// Error says what failed, where, and what an operator can do about it.
type Error struct {
	Op      string // "connect", "drain"
	Servers string // without passwords
	Err     error
	Hint    string // a way out, may be empty
}

// Error returns one line.
func (e *Error) Error() string {
	text := "nats: " + e.Op + " " + e.Servers + ": " + e.Err.Error()
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// IsAuthError reports whether a server refused the credentials, or none of the right kind were given.
func IsAuthError(err error) bool {
	for _, refusal := range []error{
		nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired,
		nats.ErrNkeysNotSupported, nats.ErrPermissionViolation,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// isFinal reports whether trying again cannot help: what is wrong is on our side.
func isFinal(err error) bool { return IsAuthError(err) || isFileError(err) || isTLSError(err) }

func isFileError(err error) bool {
	var path *os.PathError
	return errors.As(err, &path)
}

func isTLSError(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host) ||
		errors.Is(err, nats.ErrSecureConnRequired) || errors.Is(err, nats.ErrSecureConnWanted)
}

func hint(err error) string {
	switch {
	case IsAuthError(err):
		return "the server refused the login: check credentials file, nkey seed, user and password, or token"
	case isTLSError(err):
		return "check the server's certificate, the CA file, and whether the address should begin with tls://"
	case isFileError(err):
		return "check the file's name and permissions"
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout), isNetworkError(err):
		return "start a server there (nats-server), or name another with --server or NATS_URL"
	}
	return ""
}

func isNetworkError(err error) bool {
	var network net.Error
	return errors.As(err, &network)
}
