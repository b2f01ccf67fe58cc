package exact

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sigengine/sigengine/kernels/program"
)

const numericsPage = "../../docs/numerics.md"

// instructions counts what a function adds to a program, and how many of these are divisions or roots. Constants, slots
// and emits are left out.
func instructions(t *testing.T, s *subject) (all, slow int) {
	t.Helper()
	p := newDevice(t, s).program
	for _, part := range [][]program.Instr{p.Before, p.Recur, p.After} {
		for _, in := range part {
			switch in.Op {
			case program.OpConst, program.OpSlot, program.OpEmit, program.OpEmitMask:
			case program.OpDiv, program.OpSqrt:
				slow++
				all++
			default:
				all++
			}
		}
	}
	return all, slow
}

// TestNumericsPage keeps the table of docs/numerics.md equal to what is measured.
func TestNumericsPage(t *testing.T) {
	var w strings.Builder
	w.WriteString("\n| function | defined for | worst error found, ulp | at | bound | instructions | of them / |\n")
	w.WriteString("|---|---|---|---|---|---|---|\n")
	found := readFindings(t)
	for i, s := range subjects() {
		all, slow := instructions(t, &s)
		f := found[i]
		at := fmt.Sprint(f.at[0])
		if s.arity == 2 {
			at += fmt.Sprintf(", %v", f.at[1])
		}
		fmt.Fprintf(&w, "| `%s` | %s | %.4f | %s | %v | %d | %d |\n", s.name, s.domain, f.worst, at, s.bound, all, slow)
	}
	fmt.Fprintf(&w, "\n%d points a function.\n\n", found[0].points)
	page, err := os.ReadFile(numericsPage)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- generated: accuracy -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the page has no place for the table")
	}
	want := before + begin + w.String() + end + after
	if *update {
		if err := os.WriteFile(numericsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Errorf("the table of %s is not what is measured; go test -update rewrites it: want\n%s", numericsPage, w.String())
	}
}
