//go:build !nogpu && linux && (amd64 || arm64)

package cu

import (
	"errors"
	"strings"
	"testing"
)

// Real calls of a real library, and of none.
func TestOpen(t *testing.T) {
	lookup, err := Open("/nowhere/libm.so", "libm.so.6")
	if err != nil {
		t.Skipf("no library to open: %v", err)
	}
	mode, err := lookup("fegetround")
	if err != nil {
		t.Fatal(err)
	}
	if r := Address(mode, nil); r != 0 {
		t.Errorf("the rounding mode is %d, not nearest", r)
	}
	if _, err := lookup("noSuchFunction"); err == nil || !strings.Contains(err.Error(), "noSuchFunction") {
		t.Errorf("a function that is not there: %v", err)
	}
	_, err = Open("/nowhere/a.so", "/nowhere/b.so")
	if o := new(OpenError); !errors.As(err, &o) || !strings.Contains(err.Error(), "/nowhere/a.so: ") || !strings.Contains(err.Error(), "/nowhere/b.so: ") {
		t.Errorf("%v", err)
	}
	if Thread() == 0 {
		t.Error("no thread")
	}
}

func TestCallAllocatesNothing(t *testing.T) {
	lookup, err := Open("libm.so.6")
	if err != nil {
		t.Skipf("no library to open: %v", err)
	}
	mode, err := lookup("fegetround")
	if err != nil {
		t.Fatal(err)
	}
	args := make([]uintptr, 11)
	if n := testing.AllocsPerRun(100, func() { _ = Address(mode, args) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}
