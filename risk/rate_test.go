package risk

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/feed"
)

// TestCellAgainstTokens: a cell lets pass what a bucket of tokens does, and never more than burst and one a period in any window.
func TestCellAgainstTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every, burst := rapid.Int64Range(1, 20).Draw(t, "every"), rapid.Int64Range(1, 5).Draw(t, "burst")
		var c cell
		now, tokens := int64(1_000), every*burst
		var passed []int64
		for range rapid.IntRange(1, 80).Draw(t, "times") {
			dt := rapid.SampledFrom([]int64{0, 0, 1, 3, 7, 30, 200}).Draw(t, "dt")
			now, tokens = now+dt, min(every*burst, tokens+dt)
			want := tokens >= every
			if got := c.conforms(now, every, burst); got != want {
				t.Fatalf("at %d with %d tokens: %v", now, tokens, got)
			}
			if want {
				c.charge(now, every)
				tokens -= every
				passed = append(passed, now)
			}
		}
		for i := range passed {
			for k := i; k < len(passed); k++ {
				if most := burst + (passed[k]-passed[i])/every; int64(k-i+1) > most {
					t.Fatalf("%d within %d ns, at most %d", k-i+1, passed[k]-passed[i], most)
				}
			}
		}
	})
}

// TestEntriesAgainstList: the count is that of a list of times, by whole parts, and covers the window.
func TestEntriesAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.Int64Range(repeatParts, 60).Draw(t, "window")
		step := window / repeatParts
		var e entries
		var times []int64
		now := rapid.Int64Range(0, 100).Draw(t, "begin")
		for range rapid.IntRange(1, 80).Draw(t, "times") {
			now += rapid.SampledFrom([]int64{0, 1, 2, 5, 13, 70, 500}).Draw(t, "dt")
			want, least := uint32(0), uint32(0)
			for _, at := range times {
				if at/step >= now/step-repeatParts {
					want++
				}
				if now-at < window-repeatParts { // a window that parts do not divide is a little short
					least++
				}
			}
			if got := e.within(now, window); got != want || got < least {
				t.Fatalf("at %d of %v: %d, want %d and at least %d", now, times, got, want, least)
			}
			if rapid.Bool().Draw(t, "enter") {
				e.add(now, window)
				times = append(times, now)
			}
		}
	})
}

// TestPricesAgainstLists: reference and greatest move are those of lists of prices and times.
func TestPricesAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Limits{
			CollarWindowNs: rapid.Int64Range(collarParts, 100).Draw(t, "collar"), VelocityWindowNs: rapid.Int64Range(velocityParts, 40).Draw(t, "velocity"),
			VelocityHoldNs: rapid.Int64Range(1, 40).Draw(t, "hold"),
		}
		n := &naive{symbols: []feed.Symbol{{Venue: "v", Name: "A"}}, sources: []uint64{1}}
		var p prices
		now := int64(1000)
		for i := range rapid.IntRange(1, 60).Draw(t, "prices") {
			now += rapid.SampledFrom([]int64{0, 1, 2, 5, 9, 40, 300}).Draw(t, "dt")
			price := float64(rapid.IntRange(90, 110).Draw(t, "price"))
			p.see(price, now, &l)
			n.events = append(n.events, Event{Sequence: uint64(i), EngineNs: now, Kind: feed.KindQuote, QuoteFresh: true, F: [4]float64{price, 1, price, 1}})
			at := now + rapid.SampledFrom([]int64{0, 1, 30, 90}).Draw(t, "later")
			q := naiveAsk{e: Event{EngineNs: at}, rule: Rule{UsesQuote: true}, l: l}
			// The naive gates say no to every limit below what the desk found, and yes to what it found.
			q.l.Collar, q.l.Velocity = distance(price, p.reference), p.fastest(at, l.VelocityHoldNs)
			if q.l.Collar > 0 && naiveCollar(n, q) || naiveVelocity(n, q) {
				t.Fatalf("the naive reference or move is larger than %v, %v", q.l.Collar, q.l.Velocity)
			}
			q.l.Collar, q.l.Velocity = q.l.Collar*0.9999, q.l.Velocity*0.9999
			if q.l.Collar > 0 && !naiveCollar(n, q) || q.l.Velocity > 0 && !naiveVelocity(n, q) {
				t.Fatalf("the naive reference or move is smaller than %v, %v", q.l.Collar, q.l.Velocity)
			}
		}
	})
}

// TestSampled: of refusals the first are told, then powers of two.
func TestSampled(t *testing.T) {
	var told []uint32
	for n := uint32(1); n <= 40; n++ {
		if sampled(n, 5) {
			told = append(told, n)
		}
	}
	if !slices.Equal(told, []uint32{1, 2, 3, 4, 5, 8, 16, 32}) {
		t.Error(told)
	}
}
