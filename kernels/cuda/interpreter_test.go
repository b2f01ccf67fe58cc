//go:build !nogpu

package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/sigengine/sigengine/kernels/program"
)

// This is an interpreter of the PTX that Emit prints, for tests: it reads the text, not the program, so it holds the
// emitter to what PTX means, without a GPU. A warp's threads run one after the other up to each barrier.

// ptxFunction is a parsed device function.
type ptxFunction struct {
	lines  [][]string // operation and operands
	labels map[string]int
}

// parsePTX reads the body of the function called name.
func parsePTX(text, name string) (*ptxFunction, error) {
	_, body, found := strings.Cut(text, ".func "+name+"(")
	if !found {
		return nil, fmt.Errorf("no function %s", name)
	}
	_, body, _ = strings.Cut(body, ")\n{\n")
	f := &ptxFunction{labels: map[string]int{}}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		switch {
		case line == "" || line == "{" || line == "\t{" || line == "}" || strings.HasPrefix(line, ".reg") || strings.HasPrefix(line, ".local") || strings.HasPrefix(line, ".param"):
		case strings.HasSuffix(line, ":"):
			f.labels[strings.TrimSuffix(line, ":")] = len(f.lines)
		default:
			f.lines = append(f.lines, strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }))
		}
	}
	return f, nil
}

// warp is the state of 32 threads in one function.
type warp struct {
	t       testing.TB
	f       *ptxFunction
	threads [32]thread
	memory  []byte // addresses are offsets; the layout is the caller's
	windows func(symbol string) uintptr
	waits   bool
	warps   int
}

type thread struct {
	registers map[string]uint64
	wide      [2]uint64
	params    [8]uint64
	outputs   [maxWindowOutputs]uint64
	at        int
	done      bool
}

// runBlock runs warps to the end of the function, one after the other from barrier to barrier of the block.
func runBlock(warps []*warp, random *rand.Rand) {
	for running := true; running; {
		running = false
		for _, i := range random.Perm(len(warps)) {
			w := warps[i]
			for w.run() {
			}
			running = running || w.waits
		}
		for _, w := range warps {
			if w.waits != running {
				w.t.Fatal("a warp has ended while another waits for it")
			}
			w.waits = false
		}
	}
}

// run runs the warp to a barrier of its own, and reports whether it can go on; waits says that it is at one of the block.
func (w *warp) run() bool {
	running := false
	for i := range w.threads {
		if t := &w.threads[i]; !t.done {
			at := w.untilBarrier(t)
			if i > 0 && (w.waits != at || running == t.done) {
				w.t.Fatal("the threads of a warp part ways at a barrier")
			}
			running, w.waits = !t.done, at
		}
	}
	return running && !w.waits
}

// untilBarrier runs a thread to a barrier and reports whether it is one of the block.
func (w *warp) untilBarrier(t *thread) bool {
	for steps := 0; ; steps++ {
		if steps > 1<<20 {
			w.t.Fatal("a thread does not end")
		}
		line := w.f.lines[t.at]
		t.at++
		if strings.HasPrefix(line[0], "@") {
			guard := strings.TrimPrefix(line[0], "@")
			want := uint64(1)
			if strings.HasPrefix(guard, "!") {
				guard, want = guard[1:], 0
			}
			if t.get(guard) != want {
				continue
			}
			line = line[1:]
		}
		switch line[0] {
		case "ret":
			t.done = true
			return false
		case "bra":
			t.at = w.f.labels[line[1]]
		case "bar.warp.sync":
			return false
		case "bar.sync":
			if line[1] != strconv.Itoa(barrier) || line[2] != strconv.Itoa(32*w.warps) {
				w.t.Fatalf("%s among %d warps", strings.Join(line, " "), w.warps)
			}
			return true
		default:
			w.step(t, line)
		}
	}
}

// get returns a register or an immediate.
func (t *thread) get(operand string) uint64 {
	switch {
	case strings.HasPrefix(operand, "%"):
		v, set := t.registers[operand]
		if !set {
			panic("register " + operand + " was never written")
		}
		return v
	case strings.HasPrefix(operand, "0d"):
		bits, err := strconv.ParseUint(operand[2:], 16, 64)
		if err != nil {
			panic(err)
		}
		return bits
	}
	v, err := strconv.ParseInt(operand, 0, 64)
	if err != nil {
		panic(fmt.Sprintf("operand %q: %v", operand, err))
	}
	return uint64(v)
}

func (t *thread) float(operand string) float64 { return math.Float64frombits(t.get(operand)) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// address returns where [base+offset] is.
func (t *thread) address(operand string) uint64 {
	operand = strings.Trim(operand, "[]")
	base, offset, plus := strings.Cut(operand, "+")
	at := t.get(base)
	if plus {
		at += t.get(offset)
	}
	return at
}

func (w *warp) step(t *thread, line []string) {
	op := line[0]
	set := func(v uint64) { t.registers[line[1]] = v }
	setFloat := func(v float64) { set(math.Float64bits(v)) }
	arg := func(i int) uint64 { return t.get(line[i]) }
	switch {
	case w.memoryStep(t, line), w.callStep(t, line):
	case op == "mov.b64" && strings.HasPrefix(line[2], "{"):
		set(t.get(strings.Trim(line[2], "{}")) | t.get(strings.Trim(line[3], "{}"))<<32)
	case op == "mov.b128":
		t.wide = [2]uint64{t.get(strings.Trim(line[2], "{}")), t.get(strings.Trim(line[3], "{}"))}
	case strings.HasPrefix(op, "prefetch."):
	case op == "mov.u64" && line[2] == "outputs":
		set(0)
	case strings.HasPrefix(op, "cvta."), op == "mov.b64", op == "mov.u32", op == "mov.f64", op == "cvt.u64.u32":
		set(arg(2))
	case op == "add.rn.f64":
		setFloat(t.float(line[2]) + t.float(line[3]))
	case op == "sub.rn.f64":
		setFloat(t.float(line[2]) - t.float(line[3]))
	case op == "mul.rn.f64":
		setFloat(t.float(line[2]) * t.float(line[3]))
	case op == "div.rn.f64":
		setFloat(t.float(line[2]) / t.float(line[3]))
	case op == "sqrt.rn.f64":
		setFloat(math.Sqrt(t.float(line[2])))
	case op == "cvt.rn.f64.s64":
		setFloat(float64(int64(arg(2))))
	case op == "testp.finite.f64":
		v := t.float(line[2])
		set(truth(v-v == 0))
	case strings.HasPrefix(op, "setp."):
		set(truth(compare(op, arg(2), arg(3))))
	case strings.HasPrefix(op, "selp."):
		if arg(4) == 1 {
			set(arg(2))
		} else {
			set(arg(3))
		}
	default:
		w.integerStep(t, line)
	}
}

func (w *warp) integerStep(t *thread, line []string) {
	a := t.get(line[2])
	b := uint64(0)
	if len(line) > 3 {
		b = t.get(line[3])
	}
	var v uint64
	switch line[0] {
	case "and.b64", "and.pred":
		v = a & b
	case "or.b64", "or.pred", "or.b32":
		v = a | b
	case "xor.b64", "xor.pred":
		v = a ^ b
	case "not.b64":
		v = ^a
	case "not.pred":
		v = 1 - a
	case "shl.b64":
		v = a << b
	case "shr.u64":
		v = a >> b
	case "add.s64":
		v = a + b
	case "add.u32":
		v = uint64(uint32(a + b))
	case "sub.s64":
		v = a - b
	case "mad.lo.s64":
		v = a*b + t.get(line[4])
	default:
		w.t.Fatalf("the interpreter does not know %q", strings.Join(line, " "))
	}
	t.registers[line[1]] = v
}

func compare(op string, a, b uint64) bool {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	switch op {
	case "setp.lt.f64":
		return x < y
	case "setp.le.f64":
		return x <= y
	case "setp.eq.f64":
		return x == y
	case "setp.lt.s64":
		return int64(a) < int64(b)
	case "setp.eq.s64", "setp.eq.u32":
		return a == b
	case "setp.ne.s64", "setp.ne.u32":
		return a != b
	case "setp.lt.u32":
		return uint32(a) < uint32(b)
	}
	panic("unknown comparison " + op)
}

// memoryStep runs loads and stores.
func (w *warp) memoryStep(t *thread, line []string) bool {
	switch op := line[0]; {
	case strings.HasPrefix(op, "ld.param."):
		// set before the run
	case op == "ld.b64" && strings.HasPrefix(line[2], "[%outputs"):
		t.registers[line[1]] = t.outputs[t.address(line[2])/8]
	case op == "ld.shared.b64", op == "ld.global.b64":
		t.registers[line[1]] = binary.LittleEndian.Uint64(w.memory[t.address(line[2]):])
	case op == "ld.shared.b32":
		t.registers[line[1]] = uint64(binary.LittleEndian.Uint32(w.memory[t.address(line[2]):]))
	case op == "st.global.b64", op == "st.shared.b64":
		binary.LittleEndian.PutUint64(w.memory[t.address(line[1]):], t.get(line[2]))
	case op == "st.relaxed.sys.global.b128":
		at := t.address(line[1])
		binary.LittleEndian.PutUint64(w.memory[at:], t.wide[0])
		binary.LittleEndian.PutUint64(w.memory[at+8:], t.wide[1])
	default:
		return false
	}
	return true
}

// callStep runs calls of window functions: windows.cu compiled for this processor.
func (w *warp) callStep(t *thread, line []string) bool {
	switch {
	case strings.HasPrefix(line[0], "st.param."):
		at, err := strconv.Atoi(strings.Trim(line[1], "[c]"))
		if err != nil {
			w.t.Fatal(err)
		}
		if line[2] != "%outputs" {
			t.params[at] = t.get(line[2])
		}
	case line[0] == "call.uni":
		p := &t.params
		callAddress(w.windows(line[1]), unsafe.Pointer(&w.memory[p[0]]), p, &t.outputs)
	default:
		return false
	}
	return true
}

// Layout of the interpreter's memory: slots of a warp as in shared memory, then rows, what warps hand over, and state.
const interpreterThreads = 32

// interpretLane runs slots [from, to) of a lane by the PTX emitted for so many warps, at most 32 at a time, as a skeleton
// would, and writes rows. state has words words an instrument.
func interpretLane(t testing.TB, f *ptxFunction, p *program.Program, lane *program.Lane, state []byte, from, to uint64, warps int, windows func(string) uintptr) {
	rowsAt := p.SlotQuarters * SlotStride
	exchangeAt := rowsAt + p.RowQuarters*SlotStride
	stateAt := exchangeAt + ShapeWith(p, warps).ExchangeBytes
	random := rand.New(rand.NewPCG(from, uint64(warps)))
	for base := from; base < to; base += interpreterThreads {
		n := int(min(to-base, interpreterThreads))
		memory := make([]byte, stateAt+len(state))
		copy(memory[stateAt:], state)
		ranks, rounds := ranksOf(lane, base, n)
		block := make([]*warp, warps)
		for k := range block {
			w := &warp{t: t, f: f, windows: windows, memory: memory, warps: warps}
			block[k] = w
			for l := range w.threads {
				th := &w.threads[l]
				th.registers = map[string]uint64{
					"%slot": uint64(l * 16), "%row": uint64(rowsAt + l*16), "%stride": SlotStride, "%exchange": uint64(exchangeAt + l*8),
					"%stamp": base + uint64(l) + 1, "%rounds": uint64(rounds), "%state": uint64(stateAt), "%warp": uint64(k),
					"%mine": 0, "%rank": 0,
				}
				if l < n {
					slot := (base + uint64(l)) & (lane.Capacity - 1)
					th.registers["%mine"], th.registers["%rank"] = 1, uint64(ranks[l])
					th.registers["%state"] = uint64(stateAt + int(lane.In[slot].Aux)*p.StateWords*8)
				}
			}
		}
		for l := range n {
			slot := (base + uint64(l)) & (lane.Capacity - 1)
			for q := range p.SlotQuarters {
				quarter := lane.In[uint64(q)*lane.Capacity+slot]
				binary.LittleEndian.PutUint64(memory[q*SlotStride+l*16:], quarter.Value)
				binary.LittleEndian.PutUint32(memory[q*SlotStride+l*16+8:], quarter.Aux)
			}
		}
		runBlock(block, random)
		copy(state, memory[stateAt:])
		for l := range n {
			slot := (base + uint64(l)) & (lane.Capacity - 1)
			for q := range p.RowQuarters {
				if at := memory[rowsAt+q*SlotStride+l*16:]; binary.LittleEndian.Uint32(at[12:]) == uint32(base)+uint32(l)+1 {
					lane.Out[uint64(q)*lane.Capacity+slot].Value = binary.LittleEndian.Uint64(at)
				}
			}
		}
	}
}

func ranksOf(lane *program.Lane, base uint64, n int) (ranks [32]int, rounds int) {
	for l := range n {
		for k := range l {
			if lane.In[(base+uint64(k))&(lane.Capacity-1)].Aux == lane.In[(base+uint64(l))&(lane.Capacity-1)].Aux {
				ranks[l]++
			}
		}
		rounds = max(rounds, ranks[l])
	}
	return ranks, rounds
}
