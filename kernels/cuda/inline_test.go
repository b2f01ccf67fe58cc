package cuda

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/internal/awkward"
	"github.com/sigengine/sigengine/kernels/program"
)

var (
	defines = regexp.MustCompile(`(?m)^(\$?\w+):`)
	jumps   = regexp.MustCompile(`\bbra(?:\.uni)?\s+(\$?\w+);`)
)

// TestInlined: nothing is called any more, no argument or output is left in memory, and every jump finds its one label. That the
// text computes what it should is for a GPU to show.
func TestInlined(t *testing.T) {
	programs := map[string]*program.Program{"six": six(t).Program}
	operators, _ := awkward.Operators()
	for _, op := range operators {
		programs[op.Name] = op.Compiled.Program
	}
	for seed := range uint64(20) {
		programs["random "+string('a'+rune(seed))] = awkward.Program(rand.New(rand.NewPCG(seed, 99)))
	}
	for name, p := range programs {
		for _, skeleton := range []Module{Resident, Batch} {
			text := Whole(skeleton, p, 1+len(name)%WarpsMax)
			for _, left := range []string{"call", "%outputs", ".local", "_param_7", "[p_", ".extern .func", ".visible .func"} {
				if strings.Contains(text, left) {
					t.Errorf("%s in %s: %q is left", name, skeleton, left)
				}
			}
			labels := map[string]int{}
			for _, l := range defines.FindAllStringSubmatch(text, -1) {
				if labels[l[1]]++; labels[l[1]] == 2 {
					t.Errorf("%s in %s: label %s twice", name, skeleton, l[1])
				}
			}
			for _, j := range jumps.FindAllStringSubmatch(text, -1) {
				if labels[j[1]] == 0 {
					t.Errorf("%s in %s: a jump to %s, which is nowhere", name, skeleton, j[1])
				}
			}
			if strings.Count(text, "{") != strings.Count(text, "}") {
				t.Errorf("%s in %s: braces", name, skeleton)
			}
		}
	}
}

// TestInlineCall: arguments come by value, and outputs go to registers.
func TestInlineCall(t *testing.T) {
	callee := ".visible .func sg_f(\n\t.param .b64 a,\n\t.param .b64 b,\n\t.param .b64 c,\n\t.param .b64 d,\n\t.param .b32 e,\n\t.param .b64 f,\n\t.param .b64 g,\n\t.param .b64 h\n)\n{\n" +
		"\t.reg .b64 \t%rd<4>;\n\tld.param.u64 \t%rd1, [a];\n\tld.param.u64 \t%rd2, [h];\n\tsetp.eq.s64 \t%p1, %rd1, 0;\n\t@%p1 bra \t$L1;\n" +
		"\tst.u64 \t[%rd2+8], %rd1;\n\tst.f64 \t[%rd2], 0d3FF0000000000000;\n$L1:\n\tret;\n}\n"
	caller := "\t{\n\t.param .b64 c0;\n\tmov.b64 %t2, 4;\n\tst.param.b64 [c0], %t2;\n\t.param .b64 c7;\n\tst.param.b64 [c7], %outputs;\n" +
		"\tcall.uni sg_f, (c0, c1, c2, c3, c4, c5, c6, c7);\n\t}\n\tld.b64 %t0, [%outputs+8];"
	want := "\t{\n\t.reg .b64 %in0_0;\n\tmov.b64 %t2, 4;\n\tmov.b64 %in0_0, %t2;\n\t{\n\t.reg .b64 \t%rd<4>;\n\tmov.b64 %rd1, %in0_0;\n" +
		"\tsetp.eq.s64 \t%p1, %rd1, 0;\n\t@%p1 bra $L1_0;\n\tmov.b64 %out1, %rd1;\n\tmov.f64 %out0, 0d3FF0000000000000;\n$L1_0:\n\tbra INLINED_0;\n" +
		"INLINED_0:\n\t}\n\t}\n\tmov.b64 %t0, %out1;"
	if got := inlineCalls(caller, functionsOf(callee)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
