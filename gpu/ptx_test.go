package gpu_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The PTX of the tests is what their sources give. Where the compiler is not installed this is skipped; the PTX is committed.
func TestPTXIsOfItsSource(t *testing.T) {
	const compiler = "clang++-19"
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("no %s here", compiler)
	}
	if _, err := os.Stat("testdata/suite.cu"); err != nil {
		t.Skip("the sources are not here: this test binary was carried away")
	}
	for _, name := range []string{"suite", "main", "step"} {
		out := filepath.Join(t.TempDir(), name+".ptx")
		command := exec.Command(compiler, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib",
			"-O3", "-ffp-contract=off", "-Wno-unknown-cuda-version", "-S", filepath.Join("testdata", name+".cu"), "-o", out)
		if text, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", name+".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("testdata/%s.ptx is not what its source gives: compile it again, as suite.cu says", name)
		}
	}
}
