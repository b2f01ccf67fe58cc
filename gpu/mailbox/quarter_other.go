//go:build !amd64

package mailbox

// Supported reports whether this processor writes a quarter indivisibly.
func Supported() bool { return false }

func put(to, from *Quarter, n int) { putPlain(to, from, n) }

func putApart(to *Quarter, stride uint64, from *Halves, n int) { putApartPlain(to, stride, from, n) }
