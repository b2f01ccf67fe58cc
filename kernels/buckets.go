package kernels

import (
	"github.com/sigengine/sigengine/kernels/expr"
	"github.com/sigengine/sigengine/kernels/program"
)

// filling adds up what is pushed until it reaches a volume: isTrue on the push that fills it, after which it starts at
// 0 again. The sum is as of this tick, isFalse where it goes on. A size below 0 counts as none: it could keep it from
// ever being full.
func (e *emitter) filling(push, size, volume, reset program.Value) value {
	key := partKey{kind: "filling", number: size, other: volume, fresh: push, reset: reset}
	return e.partOf(key, func() value {
		b, zero := e.b, e.b.ConstF(0)
		word := b.AllocState(1)
		total := b.Add(b.Sel(reset, zero, b.Load(word, program.F)), b.Sel(b.And(push, b.Fle(zero, size)), size, zero))
		full := b.And(push, b.And(b.Flt(zero, volume), b.Fle(volume, total)))
		open := b.Andn(b.Defined(total), full)
		b.Store(word, b.Sel(open, total, zero))
		return value{number: total, isTrue: full, isFalse: open}
	})
}

// gathered is the sum of x over the pushes of a filling so far, this one included.
func (e *emitter) gathered(push, x program.Value, filling value, reset program.Value) program.Value {
	key := partKey{kind: "gathered", number: x, other: filling.isFalse, fresh: push, reset: reset}
	return e.partOf(key, func() value {
		b, zero := e.b, e.b.ConstF(0)
		word := b.AllocState(1)
		sum := b.Add(b.Sel(reset, zero, b.Load(word, program.F)), b.Sel(push, x, zero))
		b.Store(word, b.Sel(filling.isFalse, sum, zero))
		return value{number: sum}
	}).number
}

// bucket is the volume bucket of a trade: what was bought less what was sold in it, all of it, and whether it is full.
func (e *emitter) bucket(c call) (net, total, full program.Value) {
	sign, size, push, _ := e.signedTrades(call{args: c.args[:3], reset: c.reset})
	f := e.filling(push, size, c.args[3].number, c.reset)
	return e.gathered(push, e.b.Mul(sign, size), f, c.reset), f.number, f.isTrue
}

const (
	bucketConvention = "a trade is not split: it counts wholly in the bucket it fills, which so may hold more than v; sides as in " +
		"trade_sign rather than by bulk classification; fresh on the trade that fills a bucket"
	bucketWarmUp = "n buckets; starts again after a gap"
	bucketEmpty  = "a trade whose side is unknown is left out; buckets do not fill while v is not above 0"
)

func bucketParams() []expr.Param { return []expr.Param{series("v"), samples("n")} }

func vpinOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "vpin", Params: bucketParams(), Stateful: true, Reads: tradeFields},
		Doc: Doc{
			Summary:    "order flow toxicity over n buckets of volume v, from 0 to 1",
			Formula:    "sum(abs(bought - sold)) / sum(bought + sold) over the last n buckets",
			Source:     "Easley, Lopez de Prado, O'Hara (2012), Flow Toxicity and Liquidity in a High-Frequency World",
			Convention: bucketConvention,
			WarmUp:     bucketWarmUp,
			Flat:       "-",
			Empty:      bucketEmpty,
		},
		emit: func(e *emitter, c call) value {
			net, total, full := e.bucket(c)
			return value{number: e.ratioOfSums(full, e.b.Abs(net), total, c.settings[0], c.reset), fresh: full}
		},
	}
}

func volumeImbalanceOperator() Operator {
	return Operator{
		Operator: expr.Operator{Name: "volume_imbalance", Params: bucketParams(), Stateful: true, Reads: tradeFields},
		Doc: Doc{
			Summary:    "how one-sided trading is over n buckets of volume v, from -1 to 1",
			Formula:    "sum(bought - sold) / sum(bought + sold) over the last n buckets",
			Source:     "Easley, Lopez de Prado, O'Hara (2012), The Volume Clock: Insights into the High-Frequency Paradigm",
			Convention: bucketConvention,
			WarmUp:     bucketWarmUp,
			Flat:       "-",
			Empty:      bucketEmpty,
		},
		emit: func(e *emitter, c call) value {
			net, total, full := e.bucket(c)
			return value{number: e.ratioOfSums(full, net, total, c.settings[0], c.reset), fresh: full}
		},
	}
}
