package program

import "math"

// Type is the type of a value. Every value is 64 bits wide.
type Type uint8

// The types. None is what instructions without a result have; W is the token that ties wout to its window.
const (
	None Type = iota
	F         // float64; undefined is NaN
	I         // int64, two's complement
	M         // mask: all ones (true) or zero (false)
	W         // a window that has been advanced on this tick
)

// String returns the letter the listing uses.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "?"
}

var typeNames = [...]string{"none", "f", "i", "m", "w"}

// Value names the result of an instruction: an index, dense from 0. NoValue is "no operand" and "no result".
type Value int32

// NoValue stands where an instruction has no operand or no result.
const NoValue Value = -1

// Op is an operation code.
type Op uint8

// The operations; doc page docs/program.md gives their exact semantics. Codes are not stored anywhere: the listing is
// the stable form.
const (
	OpInvalid  Op = iota
	OpConst       // Imm = bits
	OpSlot        // Imm = slot quarter
	OpCtl         // the slot's control word
	OpAux         // Imm = slot quarter; its Aux, zero-extended
	OpLoad        // Imm = state word; value as of the start of the tick
	OpStore       // Imm = state word, A = value
	OpAdd         // A + B
	OpSub         // A - B
	OpMul         // A * B
	OpDiv         // A / B
	OpSqrt        // square root of A
	OpFlt         // A < B
	OpFle         // A <= B
	OpFeq         // A == B
	OpIlt         // A < B, signed
	OpIeq         // A == B
	OpSel         // A ? B : C
	OpAnd         // A & B
	OpOr          // A | B
	OpXor         // A ^ B
	OpAndn        // A &^ B
	OpShl         // A << Imm
	OpShr         // A >> Imm, logical
	OpIadd        // A + B, wrapping
	OpIsub        // A - B, wrapping
	OpI2F         // A rounded to the nearest float64
	OpCanon       // A if finite, else the canonical NaN
	OpWindow      // Imm = window; A = push, B = reset, C = input
	OpWindow2     // Imm = window; A = push, B = reset, C and D = inputs
	OpWout        // A = window token, Imm = output
	OpEmit        // Imm = row quarter, A = mask, B = value
	OpEmitMask    // Imm = row quarter, A = value
	opCount
)

// Instr is one instruction. Unused operands are NoValue, unused immediates zero.
type Instr struct {
	Op   Op
	Type Type  // of the result
	Dst  Value // result, NoValue for store, emit and emitmask

	A, B, C, D Value
	Imm        uint64
}

// CanonicalNaN is the one bit pattern of "undefined" in state, rows and snapshots.
const CanonicalNaN uint64 = 0x7ff8000000000000

const (
	exponentBits uint64 = 0x7ff0000000000000
	signBit      uint64 = 1 << 63
	maskTrue     uint64 = math.MaxUint64
)

// Canonical returns the bits of v, or CanonicalNaN if v is not finite.
func Canonical(v float64) uint64 { return canonicalBits(math.Float64bits(v)) }

func canonicalBits(bits uint64) uint64 {
	if bits&exponentBits == exponentBits {
		bits = CanonicalNaN
	}
	return bits
}

// opInfo describes an operation to the builder, the verifier and the listing.
type opInfo struct {
	name   string
	args   string // a letter an operand: f i m w; t = same type as the other t; b = see bitsType
	result byte   // a letter; 0 = none; ? = given by the instruction (const, slot, load, wout)
	imm    bool   // the listing shows Imm
}

var opInfos = [opCount]opInfo{
	OpInvalid:  {name: "invalid"},
	OpConst:    {name: "const", result: '?', imm: true},
	OpSlot:     {name: "slot", result: '?', imm: true},
	OpCtl:      {name: "ctl", result: 'i'},
	OpAux:      {name: "aux", result: 'i', imm: true},
	OpLoad:     {name: "load", result: '?', imm: true},
	OpStore:    {name: "store", args: "t", imm: true},
	OpAdd:      {name: "add", args: "ff", result: 'f'},
	OpSub:      {name: "sub", args: "ff", result: 'f'},
	OpMul:      {name: "mul", args: "ff", result: 'f'},
	OpDiv:      {name: "div", args: "ff", result: 'f'},
	OpSqrt:     {name: "sqrt", args: "f", result: 'f'},
	OpFlt:      {name: "flt", args: "ff", result: 'm'},
	OpFle:      {name: "fle", args: "ff", result: 'm'},
	OpFeq:      {name: "feq", args: "ff", result: 'm'},
	OpIlt:      {name: "ilt", args: "ii", result: 'm'},
	OpIeq:      {name: "ieq", args: "ii", result: 'm'},
	OpSel:      {name: "sel", args: "mtt", result: 't'},
	OpAnd:      {name: "and", args: "bb", result: 'b'},
	OpOr:       {name: "or", args: "bb", result: 'b'},
	OpXor:      {name: "xor", args: "bb", result: 'b'},
	OpAndn:     {name: "andn", args: "bb", result: 'b'},
	OpShl:      {name: "shl", args: "i", result: 'i', imm: true},
	OpShr:      {name: "shr", args: "i", result: 'i', imm: true},
	OpIadd:     {name: "iadd", args: "ii", result: 'i'},
	OpIsub:     {name: "isub", args: "ii", result: 'i'},
	OpI2F:      {name: "i2f", args: "i", result: 'f'},
	OpCanon:    {name: "canon", args: "f", result: 'f'},
	OpWindow:   {name: "window", args: "mmf", result: 'w', imm: true},
	OpWindow2:  {name: "window2", args: "mmff", result: 'w', imm: true},
	OpWout:     {name: "wout", args: "w", result: '?', imm: true},
	OpEmit:     {name: "emit", args: "mf", imm: true},
	OpEmitMask: {name: "emitmask", args: "i", imm: true},
}

// String returns the operation's name in the listing.
func (op Op) String() string {
	if op < opCount {
		return opInfos[op].name
	}
	return "unknown"
}

// operands returns the instruction's operands in order.
func (in *Instr) operands() ([4]Value, int) {
	return [4]Value{in.A, in.B, in.C, in.D}, len(opInfos[in.Op].args)
}

// isWindow reports whether the operation advances a window.
func (op Op) isWindow() bool { return op == OpWindow || op == OpWindow2 }
