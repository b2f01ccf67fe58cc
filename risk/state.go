package risk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math"
	"slices"
)

// ErrState says that bytes are not the state of a desk with this configuration and these instruments.
var ErrState = errors.New("risk: not a state of this desk")

const (
	stateMagic   = 0x4b534752 // RGSK
	stateVersion = 2
)

// AppendState appends everything that decides, but not counters: the state of the defined instruments, in the order of
// their ids, each of a size that the configuration fixes. The form is in docs/risk.md.
func (d *Desk) AppendState(dst []byte) []byte {
	from := len(dst)
	c := coder{b: dst, writing: true}
	d.code(&c)
	return seal(c.b, from)
}

// seal appends the checksum of what follows from.
func seal(b []byte, from int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], crc32.MakeTable(crc32.Castagnoli)))
}

// LoadState puts a state in the place of the desk's own. The desk has the configuration of the one that it was taken
// from, and the same instruments are defined. If the error, which wraps ErrState, is not nil the desk must not be used.
func (d *Desk) LoadState(b []byte) error {
	if len(b) < 4 || crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return fmt.Errorf("%w: the checksum does not fit", ErrState)
	}
	c := coder{b: b[:len(b)-4]}
	d.code(&c)
	switch {
	case c.err != nil:
		return c.err
	case len(c.b) > 0:
		return fmt.Errorf("%w: %d bytes too many", ErrState, len(c.b))
	}
	for i := range d.hours {
		d.hours[i] = hoursState{}
	}
	d.retighten()
	return nil
}

// code reads or writes the state.
func (d *Desk) code(c *coder) {
	c.mustBe(stateMagic, "magic")
	c.mustBe(stateVersion, "version")
	c.mustBe(uint64(len(d.rules)), "number of signals")
	for i := range d.rules {
		c.mustBe(nameHash(d.rules[i].Name), "name of a signal")
	}
	c.mustBe(uint64(len(d.byName)), "number of instruments")
	c.unsigned(&d.lastSequence)
	c.signed(&d.lastNs)
	c.bools(&d.killAll, &d.reduceAll, &d.stopped, &d.book.broken, &d.book.missing, &d.book.news)
	c.unsigned(&d.killSignals, &d.reduceSignals, &d.fillSources)
	for i := range d.tightened {
		c.float(&d.tightened[i])
	}
	known := uint64(d.facts)
	c.unsigned(&known)
	d.facts = facts(known)
	for i := range d.unreadNs {
		c.signed(&d.unreadNs[i])
	}
	c.signed(&d.total.fullNs, &d.book.dayEndsNs, &d.book.newsNs, &d.rejectedSecond)
	c.short(&d.rejectedInSecond)
	b := &d.book
	c.money(&b.gross, &b.net, &b.cash, &b.peak, &b.dayBase, &b.last)
	ids := slices.Sorted(slices.Values(d.byName))
	for _, id := range ids {
		c.mustBe(uint64(id), "instrument")
		c.mustBe(nameHash(d.names[id]), "name of an instrument")
		c.market(&d.markets[id])
		c.unsigned(&d.open[id], &d.latched[id])
		for i := range d.rules {
			c.pair(&d.pairs[d.Pair(i, id)])
		}
	}
}

func nameHash(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64()
}

// coder reads or writes values in one order.
type coder struct {
	b       []byte
	writing bool
	err     error
}

func (c *coder) unsigned(values ...*uint64) {
	for _, v := range values {
		switch {
		case c.writing:
			c.b = binary.LittleEndian.AppendUint64(c.b, *v)
		case len(c.b) < 8:
			c.fail("too few bytes")
		default:
			*v = binary.LittleEndian.Uint64(c.b)
			c.b = c.b[8:]
		}
	}
}

func (c *coder) fail(why string) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrState, why)
	}
}

// mustBe writes a value that a reader must find.
func (c *coder) mustBe(want uint64, what string) {
	v := want
	c.unsigned(&v)
	if v != want {
		c.fail("another " + what)
	}
}

func (c *coder) signed(values ...*int64) {
	for _, v := range values {
		u := uint64(*v)
		c.unsigned(&u)
		*v = int64(u)
	}
}

func (c *coder) money(values ...*money) {
	for _, v := range values {
		c.signed((*int64)(v))
	}
}

func (c *coder) short(values ...*uint32) {
	for _, v := range values {
		u := uint64(*v)
		c.unsigned(&u)
		*v = uint32(u)
	}
}

func (c *coder) float(values ...*float64) {
	for _, v := range values {
		u := math.Float64bits(*v)
		c.unsigned(&u)
		*v = math.Float64frombits(u)
	}
}

// bools are bits of one value.
func (c *coder) bools(values ...*bool) {
	var u uint64
	for i, v := range values {
		if *v {
			u |= 1 << i
		}
	}
	c.unsigned(&u)
	for i, v := range values {
		*v = u>>i&1 != 0
	}
}

func (c *coder) market(m *market) {
	h := &m.holding
	c.float(&m.bid, &m.ask, &m.last, &m.bidSize, &m.askSize, &h.position, &h.mark)
	c.signed(&m.quoteNs, &m.tradeNs, &m.seenNs, &m.beganNs, &m.rate.fullNs)
	c.money(&h.value)
	c.short(&m.ticks, &m.quotesSinceGap, &m.tradesSinceGap)
	c.bools(&m.quoted, &m.traded, &m.seen, &m.gapQuote, &m.gapTrade, &m.halted, &m.killed, &m.reduce, &h.priced)
	follows := uint64(0)
	if m.prices != nil {
		follows = 1
	}
	c.mustBe(follows, "limits of prices")
	if m.prices == nil {
		return
	}
	for i := range m.prices {
		c.prices(&m.prices[i])
	}
}

func (c *coder) prices(p *prices) {
	c.bools(&p.known)
	c.float(&p.last, &p.reference, &p.lowest, &p.highest, &p.move, &p.before)
	c.signed(&p.part, &p.partEndNs, &p.block, &p.blockEndNs, &p.hold, &p.holdEndNs)
	for i := range p.closes {
		c.float(&p.closes[i])
		c.bools(&p.held[i])
	}
	for i := range p.low {
		c.float(&p.low[i], &p.high[i])
		c.bools(&p.filled[i])
	}
}

func (c *coder) pair(p *pairState) {
	c.unsigned(&p.outputSequence, &p.refused)
	c.signed(&p.validUntilNs, &p.passedNs, &p.refusedSecond, &p.entries.part)
	c.float(&p.value)
	c.short(&p.refusedInSecond)
	for i := range p.entries.counts {
		n := uint32(p.entries.counts[i])
		c.short(&n)
		p.entries.counts[i] = uint16(n)
	}
	c.bools(&p.passed, &p.live)
	side := int64(p.sideSign)
	c.signed(&side)
	p.sideSign = int8(side)
}
