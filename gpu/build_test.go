package gpu_test

import (
	"os/exec"
	"strings"
	"testing"
)

// With the tag nogpu nothing reaches purego, whose import alone makes a binary depend on a C library.
func TestNogpuIsFreeOfPurego(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command here")
	}
	list := func(tags string) string {
		out, err := exec.Command("go", "list", "-deps", "-tags", tags, "github.com/sigengine/sigengine/gpu").Output()
		if err != nil {
			t.Skipf("go list does not work here: %v", err)
		}
		return string(out)
	}
	if strings.Contains(list("nogpu"), "ebitengine/purego") {
		t.Error("the nogpu build imports purego")
	}
	if !strings.Contains(list(""), "ebitengine/purego") {
		t.Error("the test sees nothing")
	}
}
