package feed

import (
	"errors"
	"testing"
	"time"

	"github.com/sigengine/sigengine/ring"
)

func inlet(t *testing.T, slots int, full FullPolicy) *Inlet {
	t.Helper()
	in, err := NewInlet(InletConfig{Name: "x", Slots: slots, Instruments: 4, Full: full})
	if err != nil {
		t.Fatal(err)
	}
	in.Connect(7, ring.NewParker())
	return in
}

func quoteTick(n int) *Tick {
	return &Tick{Kind: KindQuote, ReceiveNs: int64(n), Source: 99}
}

// TestInletPasses: ticks come out in order, with the inlet's source number and their venue sequence, after Flush only.
func TestInletPasses(t *testing.T) {
	in := inlet(t, 16, FullDrop)
	next, read := 0, 0
	for round := range 20 { // wraps the ring
		for range 1 + round%5 {
			if !in.Offer(quoteTick(next), uint64(next)*10) {
				t.Fatal("refused")
			}
			next++
		}
		if ticks, _ := in.Poll(16); len(ticks) != 0 {
			t.Fatal("visible before Flush")
		}
		in.Flush()
		for read < next {
			ticks, column := in.Poll(16)
			for i := range ticks {
				if ticks[i].ReceiveNs != int64(read) || ticks[i].Source != 7 || column[i] != uint64(read)*10 {
					t.Fatalf("tick %d: %+v, venue sequence %d", read, ticks[i], column[i])
				}
				read++
			}
			in.Release(len(ticks))
		}
	}
	if _, _, hole := in.Hole(); hole {
		t.Error("a hole, and nothing was lost")
	}
}

// TestInletDrops: a full ring drops the new tick and says so once; a halt still fits, because slots are kept for it.
func TestInletDrops(t *testing.T) {
	in := inlet(t, 64, FullDrop)
	taken := 0
	for in.Offer(quoteTick(taken), 0) {
		taken++
	}
	if want := 64 - 8; taken != want {
		t.Errorf("took %d quotes, want %d: an eighth is kept for what is not market data", taken, want)
	}
	halt := Tick{Kind: KindStatus, F: [4]float64{float64(StatusHalt)}}
	if !in.Offer(&halt, 0) {
		t.Error("a halt did not fit a ring full of quotes")
	}
	in.Offer(quoteTick(0), 0)
	in.Flush()
	in.Poll(64)
	reason, lost, hole := in.Hole()
	if !hole || reason != GapRingFull || lost != 2 {
		t.Errorf("hole %v, reason %d, lost %d", hole, reason, lost)
	}
	if _, _, again := in.Hole(); again {
		t.Error("the same hole twice")
	}
	if s := in.Stats(); s.Dropped != 2 || s.Offered != uint64(taken)+1 || s.Gaps != 0 {
		t.Errorf("stats %+v", s)
	}
}

// TestInletMarksGaps: what the source says is missing is a hole with its reason and count.
func TestInletMarksGaps(t *testing.T) {
	in := inlet(t, 16, FullDrop)
	in.MarkGap(GapSlowConsumer, 12)
	if reason, lost, hole := in.Hole(); !hole || reason != GapSlowConsumer || lost != 12 {
		t.Errorf("hole %v, reason %d, lost %d", hole, reason, lost)
	}
	in.MarkGap(GapDisconnect, 0)
	if reason, lost, hole := in.Hole(); !hole || reason != GapDisconnect || lost != 0 {
		t.Errorf("hole %v, reason %d, lost %d", hole, reason, lost)
	}
	if s := in.Stats(); s.Gaps != 2 || s.Lost != 12 {
		t.Errorf("stats %+v", s)
	}
}

// TestInletBlocks: under FullBlock nothing is lost, and a source whose engine has left is let go.
func TestInletBlocks(t *testing.T) {
	in := inlet(t, 16, FullBlock)
	const total = 5000
	done := make(chan int)
	go func() {
		taken := 0
		for i := range total {
			if in.Offer(quoteTick(i), 0) {
				taken++
			}
			in.Flush()
		}
		done <- taken
	}()
	for read := 0; read < total/2; {
		ticks, _ := in.Poll(16)
		for i := range ticks {
			if ticks[i].ReceiveNs != int64(read) {
				t.Fatalf("tick %d is %d", read, ticks[i].ReceiveNs)
			}
			read++
		}
		in.Release(len(ticks))
	}
	in.Abandon()
	select {
	case taken := <-done:
		if taken < total/2 || taken == total {
			t.Errorf("took %d of %d", taken, total)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the source still waits for an engine that has left")
	}
	if in.Stats().Blocked == 0 {
		t.Error("it never blocked: the test exercises nothing")
	}
}

func TestInletCloses(t *testing.T) {
	in := inlet(t, 16, FullDrop)
	in.Offer(quoteTick(1), 0)
	in.Close()
	if in.Done() {
		t.Error("done with a tick inside")
	}
	ticks, _ := in.Poll(16)
	in.Release(len(ticks))
	if len(ticks) != 1 || !in.Done() {
		t.Errorf("%d ticks, done %v", len(ticks), in.Done())
	}
}

func TestInletConfig(t *testing.T) {
	for _, c := range []InletConfig{{Slots: 8, Instruments: 1}, {Slots: 16}, {Slots: 100, Instruments: 1}} {
		if _, err := NewInlet(c); !errors.Is(err, ErrInlet) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestInletDoesNotAllocate(t *testing.T) {
	in := inlet(t, 64, FullDrop)
	tick := quoteTick(1)
	if n := testing.AllocsPerRun(100, func() {
		for range 10 {
			in.Offer(tick, 1)
		}
		in.Flush()
		ticks, _ := in.Poll(64)
		in.Release(len(ticks))
		in.Hole()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
