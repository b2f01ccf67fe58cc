//go:build nogpu || !linux || !(amd64 || arm64)

package gpu_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/gpu"
)

func TestNotBuilt(t *testing.T) {
	_, openErr := gpu.Open(0)
	_, driverErr := gpu.OpenDriver()
	_, fakeErr := gpu.NewDriver(func(string) (uintptr, error) { return 1, nil })
	_, presentErr := gpu.Present()
	for _, err := range []error{openErr, driverErr, fakeErr, presentErr} {
		if !errors.Is(err, gpu.ErrNotBuilt) || !strings.Contains(err.Error(), "nogpu") {
			t.Errorf("%v", err)
		}
	}
	if _, err := gpu.OpenCompiler(); !errors.Is(err, gpu.ErrNoCompiler) {
		t.Errorf("the compiler: %v", err)
	}
}
