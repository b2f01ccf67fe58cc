package exact

// machine is an arithmetic in which the algorithms are written: numbers F, 64-bit integers I and masks M. Its
// operations are the instructions of package program, with their conventions.
type machine[F, I, M any] interface {
	float(v float64) F
	integer(v int64) I

	add(x, y F) F
	sub(x, y F) F
	mul(x, y F) F
	div(x, y F) F
	sqrt(x F) F
	canon(x F) F

	less(x, y F) M
	lessEqual(x, y F) M
	equal(x, y F) M
	integersEqual(x, y I) M
	and(x, y M) M
	or(x, y M) M
	andNot(x, y M) M
	choose(mask M, x, y F) F        // x where mask, else y
	chooseInteger(mask M, x, y I) I // x where mask, else y

	bits(x F) I             // of x, made canonical first
	fromBits(x I) F         // the number with these bits
	clear(x F, low int64) F // x without the bits set in low, made canonical first
	magnitude(x F) F        // |x|
	flip(x F, sign I) F     // x with its sign flipped where bit 63 of sign is set, all other bits of which are 0
	andBits(x, y I) I
	shiftLeft(x I, n int) I
	shiftRight(x I, n int) I // logical
	addInteger(x, y I) I
	subInteger(x, y I) I
	toFloat(x I) F
}

const signBit = -1 << 63
