package cuda

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/kernels/program"
)

// The PTX that is emitted: 128-bit accesses of system scope need version 8.4 and sm_70.
const (
	ptxVersion = "8.4"
	ptxTarget  = "sm_80"
)

// SlotStride is the distance in bytes of two quarters of a slot in the memory that the device function reads: 32 threads
// of 16 bytes.
const SlotStride = 512

// exchangeStride is the distance in bytes of two values that warps hand over: 32 threads of 8 bytes.
const exchangeStride = 256

// barrier is the number of the hardware barrier among the warps of a program.
const barrier = 5

// Emit returns a PTX module with one device function called name, for so many warps:
//
//	.func name(slot, state, row, rowStride, exchange, stamp, rank, rounds, mine, warp)
//
//	slot       generic address, in shared memory, of quarter 0 of the thread's slot; quarter q is SlotStride*q further
//	state      global address of the instrument's state words
//	row        global address of quarter 0 of the thread's row; quarter q is rowStride*q further
//	stamp      goes into every quarter written
//	rank       how many earlier ticks of the same instrument the warp holds
//	rounds     the largest rank of the warp
//	exchange   generic address, in shared memory, of the thread's 8 bytes of the first value that warps hand over
//	mine       1 if the thread has a tick, else 0
//	warp       which of the warps the thread is in, from 0
//
// All threads of all warps call it together; the threads of a warp return together. Threads of the same number within their
// warps have the same tick. Between two calls the warps must meet at a barrier.
func Emit(p *program.Program, name string, warps int) string {
	e := &emitter{plan: newPlan(p, warps)}
	e.p = e.plan.p
	var bodies strings.Builder
	for w := range warps {
		e.section(&bodies, w)
	}
	body := bodies.String()
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n\n", ptxVersion, ptxTarget)
	b.WriteString(e.externs())
	fmt.Fprintf(&b, ".visible .func %s(\n", name)
	for i, param := range parameters {
		comma := ","
		if i == len(parameters)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "\t.param .b%d p_%s%s\n", param.bits, param.name, comma)
	}
	b.WriteString(")\n{\n")
	b.WriteString(e.common())
	for _, param := range parameters {
		fmt.Fprintf(&b, "\tld.param.b%d %%%s, [p_%s];\n", param.bits, param.name, param.name)
	}
	b.WriteString("\tcvta.to.shared.u64 %slot, %slot;\n\tcvta.to.shared.u64 %exchange, %exchange;\n")
	b.WriteString(body)
	b.WriteString("}\n")
	return b.String()
}

var parameters = []struct {
	name string
	bits int
}{
	{"slot", 64},
	{"state", 64},
	{"row", 64},
	{"stride", 64},
	{"exchange", 64},
	{"stamp", 32},
	{"rank", 32},
	{"rounds", 32},
	{"mine", 32},
	{"warp", 32},
}
