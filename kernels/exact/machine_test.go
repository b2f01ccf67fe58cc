package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sigengine/sigengine/kernels/program"
)

// operations gives every operation of a machine as a function of two numbers.
func operations[F, I, M any](m machine[F, I, M]) map[string]func(x, y F) F {
	where := func(mask M) F { return m.choose(mask, m.float(1), m.float(2)) }
	return map[string]func(x, y F) F{
		"add":      m.add,
		"sub":      m.sub,
		"mul":      m.mul,
		"div":      m.div,
		"sqrt":     func(x, _ F) F { return m.sqrt(x) },
		"1/(x/y)":  func(x, y F) F { return m.div(m.float(1), m.div(x, y)) },
		"1/(x*y)":  func(x, y F) F { return m.div(m.float(1), m.mul(x, y)) },
		"canon":    func(x, y F) F { return m.canon(m.mul(x, y)) },
		"less":     func(x, y F) F { return where(m.less(x, y)) },
		"x*x<y*y":  func(x, y F) F { return where(m.less(m.mul(x, x), m.mul(y, y))) },
		"x*x<=y*y": func(x, y F) F { return where(m.lessEqual(m.mul(x, x), m.mul(y, y))) },
		"x*x==y*y": func(x, y F) F { return where(m.equal(m.mul(x, x), m.mul(y, y))) },
		"bits":     func(x, y F) F { return m.toFloat(m.bits(m.mul(x, y))) },
		"equal":    func(x, y F) F { return where(m.integersEqual(m.bits(x), m.bits(y))) },
		"and":      func(x, y F) F { return where(m.and(m.less(m.float(0), x), m.less(m.float(0), y))) },
		"or":       func(x, y F) F { return where(m.or(m.less(m.float(0), x), m.less(m.float(0), y))) },
		"andNot":   func(x, y F) F { return where(m.andNot(m.less(m.float(0), x), m.less(m.float(0), y))) },
		"choose":   func(x, y F) F { return m.add(m.choose(m.less(x, y), m.mul(x, x), y), m.float(1)) },
		"chooseInteger": func(x, y F) F {
			return m.toFloat(m.chooseInteger(m.less(x, y), m.bits(x), m.bits(y)))
		},
		"fromBits":  func(x, y F) F { return m.mul(m.fromBits(m.addInteger(m.bits(x), m.bits(y))), m.float(1)) },
		"clear":     func(x, y F) F { return m.clear(m.mul(x, y), lowBits) },
		"magnitude": func(x, y F) F { return m.magnitude(m.mul(x, y)) },
		"flip":      func(x, y F) F { return m.flip(m.mul(x, y), m.andBits(m.bits(y), m.integer(signBit))) },
		"shifts":    func(x, y F) F { return m.toFloat(m.shiftRight(m.shiftLeft(m.bits(x), 3), 7)) },
		"isub":      func(x, y F) F { return m.toFloat(m.subInteger(m.bits(x), m.bits(y))) },
		"infinite":  func(_, _ F) F { return m.float(math.Inf(-1)) },
	}
}

// TestMachinesAgree holds each operation of the two machines against the other, also where no algorithm relies on it.
func TestMachinesAgree(t *testing.T) {
	compute := operations(native{})
	r := rand.New(rand.NewPCG(13, 14))
	var args [][2]float64
	for _, x := range awkward() {
		for _, y := range awkward() {
			args = append(args, [2]float64{x, y})
		}
		args = append(args, [2]float64{anyBits(r), anyBits(r)})
	}
	for name, f := range compute {
		s := subject{
			name: name, arity: 2,
			call: func(a [2]float64) float64 { return canonical(f(a[0], a[1])) },
			build: func(b *program.Builder, a [2]program.Value) program.Value {
				return operations(emitter{b})[name](a[0], a[1])
			},
		}
		newDevice(t, &s).compare(t, &s, args)
	}
}
