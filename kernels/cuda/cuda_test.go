package cuda

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels"
	"github.com/sigengine/sigengine/kernels/program"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestCommittedPTX compiles the kernels again: what is committed is what the sources say.
func TestCommittedPTX(t *testing.T) {
	if _, err := exec.LookPath("clang++-19"); err != nil {
		t.Skip("clang++-19 is not installed; apt-get install clang-19 to check the committed PTX")
	}
	dir := t.TempDir()
	if out, err := exec.Command("./compile.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, m := range []Module{Resident, Batch, Windows} {
		again, err := os.ReadFile(filepath.Join(dir, string(m)+".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != m.PTX() {
			t.Errorf("ptx/%s.ptx is not what %s.cu compiles to; run kernels/cuda/compile.sh and commit", m, m)
		}
	}
}

// TestNothingFused: no PTX of ours has a fused multiply-add or an operation without a rounding mode, but for the exact
// remainders in base.cuh, which PLAIN takes out.
func TestNothingFused(t *testing.T) {
	texts := map[string]string{"six": Emit(six(t).Program, ProgramName, 4)}
	for _, m := range []Module{Resident, Batch} {
		texts[string(m)] = m.PTX()
	}
	if _, err := exec.LookPath("clang++-19"); err == nil {
		dir := t.TempDir()
		if out, err := exec.Command("./compile.sh", dir, "-DPLAIN").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		plain, err := os.ReadFile(filepath.Join(dir, string(Windows)+".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		texts[string(Windows)] = string(plain)
	} else {
		defer t.Skip("clang++-19 is not installed: windows.cu was not looked at")
	}
	for name, text := range texts {
		for i, line := range strings.Split(text, "\n") {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			op := words[0]
			if strings.HasPrefix(op, "@") && len(words) > 1 {
				op = words[1]
			}
			if strings.HasPrefix(op, "fma") || strings.HasPrefix(op, "mad") && strings.Contains(op, "f64") || strings.Contains(op, "approx") || strings.Contains(op, "ftz") {
				t.Errorf("%s, line %d: %s", name, i+1, line)
			}
			for _, arithmetic := range []string{"add.f64", "sub.f64", "mul.f64", "div.f64", "sqrt.f64"} {
				if op == arithmetic {
					t.Errorf("%s, line %d has no rounding mode: %s", name, i+1, line)
				}
			}
		}
	}
}

func six(t testing.TB) *kernels.Compiled {
	t.Helper()
	specs := []kernels.SignalSpec{
		{Name: "a", Value: "zscore(microprice - ema(mid, 50), 30s)", When: "abs(value) > 3 and spread < 20bp * mid", Exit: "abs(value) < 0.5", Side: "-sign(value)"},
		{Name: "b", Value: "ofi(1s)", When: "crosses(value, 0)"},
		{Name: "c", Value: "diff(mid, 8) / std(diff(mid), 200)", When: "abs(value) > 7 and not (value < prev(mid))"},
	}
	compiled, errs := kernels.Compile(specs, kernels.Options{})
	if len(errs) > 0 {
		t.Fatal(&errs[0])
	}
	return compiled
}

// TestEmitGolden keeps the text of a small program, which a reader can follow.
func TestEmitGolden(t *testing.T) {
	b := program.NewBuilder()
	quote := b.Ieq(b.And(b.Ctl(), b.ConstI(program.CtlFreshQuote)), b.ConstI(program.CtlFreshQuote))
	mid := b.Mul(b.Add(b.Slot(0), b.Slot(2)), b.ConstF(0.5))
	out := b.Window(program.SampleWindow(program.AggSum, 4), b.And(quote, b.Defined(b.Canon(mid))), b.ConstM(false), b.Canon(mid))
	word := b.AllocState(1, program.CanonicalNaN)
	last := b.Load(word, program.F)
	b.Store(word, b.Sel(quote, b.Canon(mid), last))
	above := b.And(out[2], b.Flt(b.Canon(b.Div(out[0], b.ConstF(4))), b.Canon(mid)))
	b.EmitMask(program.RowWhen, b.And(b.ConstI(1), above))
	b.Emit(b.AllocRow(), above, b.Canon(b.Sqrt(mid)))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "small.ptx")
	got := p.String() + "\n" + Emit(p, ProgramName, 1) + "\n" + Emit(p, ProgramName, 2)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, []byte(got)) {
		t.Errorf("the text changed; run with -update and look\n%s", got)
	}
}

// TestEmitIsAFunctionOfTheProgram: the same text every time, for map order must not reach it.
func TestEmitIsAFunctionOfTheProgram(t *testing.T) {
	p := six(t).Program
	want := Emit(p, ProgramName, 4)
	for range 5 {
		if Emit(p, ProgramName, 4) != want {
			t.Fatal("two emissions differ")
		}
	}
}
