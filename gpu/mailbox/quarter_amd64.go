//go:build amd64

package mailbox

import "golang.org/x/sys/cpu"

// Supported reports whether this processor writes a quarter indivisibly.
func Supported() bool { return cpu.X86.HasAVX }

//go:noescape
func putAVX(to, from *Quarter, n int)

func put(to, from *Quarter, n int) {
	if !cpu.X86.HasAVX {
		putPlain(to, from, n)
		return
	}
	putAVX(to, from, n)
}

//go:noescape
func putApartAVX(to *Quarter, strideBytes uint64, from *Halves, n int)

func putApart(to *Quarter, stride uint64, from *Halves, n int) {
	if !cpu.X86.HasAVX {
		putApartPlain(to, stride, from, n)
		return
	}
	putApartAVX(to, stride*quarterBytes, from, n)
}
