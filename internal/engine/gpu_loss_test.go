//go:build !nogpu && linux && (amd64 || arm64)

package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/kernels/program"
	"github.com/sigengine/sigengine/risk"
)

// shortAnswer is how long a device may owe a row where a test hangs it.
const shortAnswer = int64(60 * time.Millisecond)

// TestGPULoss: at a slot drawn at random the kernel ends by itself, breaks the device, hangs for good, or hangs and comes back
// with rows of its own invention when the engine has long gone on without it.
func TestGPULoss(t *testing.T) {
	const seed = 11
	random := rand.New(rand.NewPCG(seed, 0))
	tape := record(t, tapeSeed, tapeTicks)
	want := tape.clean(t, busyShape(t))
	for _, dispatch := range dispatches {
		for _, mode := range modes {
			for _, follow := range []bool{false, true} {
				for trouble := engine.Ends; trouble <= engine.Late; trouble++ {
					if trouble == engine.Ends && dispatch == engine.DispatchStream {
						continue // a batch that ends early without an error is a kernel that computes wrongly
					}
					at, lanes := uint64(1+random.IntN(tapeTicks/2)), 1+random.IntN(3)
					t.Run(fmt.Sprintf("%s/%s/follow=%v/%s", dispatch, mode, follow, trouble), func(t *testing.T) {
						t.Logf("seed %d: slot %d, %d lanes", seed, at, lanes)
						shape := busyShape(t)
						shape.Mode, shape.Lanes = mode, lanes
						m := onFake(t, &shape, 1)
						m.kernels.Jitter, m.kernels.Trouble, m.kernels.At = true, trouble, at
						shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: follow, AnswerNs: shortAnswer}
						got := tape.run(shape, engine.Ports{}, func(e *engine.Engine, tick int) {
							if tick == tapeTicks-500 {
								m.resume()
							}
						})
						got.judge(t, want, follow)
					})
				}
			}
		}
	}
}

// resume lets a late kernel go on, and gives it time to do harm.
func (m *machine) resume() {
	close(m.kernels.Resume)
	if m.kernels.Trouble == engine.Late {
		before := m.kernels.Ran()
		for range 100 {
			if m.kernels.Ran() != before {
				return
			}
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// TestGPUKernelEnds: a stop that the engine did not stage ends one lane's block, or all of them. The kernel is found out by asking
// the driver, or, where other blocks of the launch go on, by the row that it owes.
func TestGPUKernelEnds(t *testing.T) {
	tape := record(t, tapeSeed, tapeTicks)
	want := tape.clean(t, busyShape(t))
	for _, mode := range modes {
		for _, lanes := range []int{1, 3} {
			for _, follow := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/lanes=%d/follow=%v", mode, lanes, follow), func(t *testing.T) {
					shape := busyShape(t)
					shape.Mode, shape.Lanes = mode, lanes
					onBoth(t, shape, func(t *testing.T, m *machine, shape engine.Config) {
						shape.GPU = &engine.GPU{Devices: m.devices, Follow: follow, AnswerNs: int64(time.Hour)}
						if lanes > 1 {
							shape.GPU.AnswerNs = shortAnswer
						}
						got := tape.run(shape, engine.Ports{}, func(e *engine.Engine, tick int) {
							if tick == 1000 {
								e.EndKernel(lanes - 1)
							}
						})
						got.judge(t, want, follow)
					})
				})
			}
		}
	}
}

// TestGPULossAfterLoss: one device of two is lost, and later the other.
func TestGPULossAfterLoss(t *testing.T) {
	tape := record(t, tapeSeed, tapeTicks)
	want := tape.clean(t, busyShape(t))
	for _, dispatch := range dispatches {
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%s/%s", dispatch, mode), func(t *testing.T) {
				shape := busyShape(t)
				shape.Mode, shape.Lanes = mode, 4
				m := onFake(t, &shape, 2)
				shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: true}
				got := tape.run(shape, engine.Ports{}, func(_ *engine.Engine, tick int) {
					if tick == 800 || tick == 2400 {
						m.fake.Break(tick/2400, 719)
					}
				})
				got.judge(t, want, true)
				for i, d := range m.devices {
					if d.Lost() == nil {
						t.Errorf("device %d is not lost", i)
					}
				}
			})
		}
	}
}

// TestGPUWrongRows: from a slot on, a bit of every value that a device computes is flipped. The follower finds it, the device is
// not used any more, and what it had already given is no more than its lanes hold.
func TestGPUWrongRows(t *testing.T) {
	tape := record(t, tapeSeed, tapeTicks)
	shape := busyShape(t)
	shape.LaneSlots, shape.Batch = 64, 16
	want := tape.clean(t, shape)
	const wrongFrom, bit = 1500, 1 << 3
	for _, dispatch := range dispatches {
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%s/%s", dispatch, mode), func(t *testing.T) {
				shape := shape
				shape.Mode, shape.Lanes = mode, 2
				m := onFake(t, &shape, 1)
				m.kernels.Wrong = func(slot uint64, row []program.Quarter) {
					if slot < wrongFrom {
						return
					}
					for i := range shape.Desk.Rules {
						if (row[program.RowWhen].Value|row[program.RowExit].Value)>>i&1 != 0 {
							row[shape.Desk.Rules[i].ValueQuarter].Value ^= bit
						}
					}
				}
				shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: true}
				got := tape.run(shape, engine.Ports{}, nil)
				if got.err != nil || got.e.Mismatches() == 0 || !errors.Is(got.e.DeviceLost(), engine.ErrMismatch) {
					t.Fatalf("%d rows differed; lost: %v; error: %v", got.e.Mismatches(), got.e.DeviceLost(), got.err)
				}
				if len(got.bodies) != len(want.bodies) { // masks were right
					t.Fatalf("%d signals, want %d", len(got.bodies), len(want.bodies))
				}
				wrong := 0
				for i := range got.bodies {
					if got.bodies[i] != want.bodies[i] {
						wrong++
					}
				}
				t.Logf("%d rows were found wrong, %d of %d signals had left with them", got.e.Mismatches(), wrong, len(got.bodies))
				if wrong > shape.Lanes*shape.LaneSlots || wrong == len(want.bodies) {
					t.Errorf("%d signals are wrong: more than the lanes hold", wrong)
				}
			})
		}
	}
}

// TestGPUOneWrongBit: any one bit of any quarter that counts is found, and what counts for nothing is not looked at.
func TestGPUOneWrongBit(t *testing.T) {
	const seed = 5
	random := rand.New(rand.NewPCG(seed, 0))
	tape := record(t, tapeSeed, 1500)
	base := busyShape(t)
	rules := base.Desk.Rules
	for round := range 32 {
		dispatch, mode := dispatches[round%2], modes[round/2%2]
		quarter, bit, from := random.IntN(base.Program.RowQuarters), uint64(1)<<random.IntN(64), uint64(300+random.IntN(600))
		if round%3 == 0 {
			bit = 1 << random.IntN(len(rules)+1) // in the masks most bits mean nothing
		}
		t.Run(fmt.Sprintf("%s/%s/quarter=%d/bit=%#x", dispatch, mode, quarter, bit), func(t *testing.T) {
			shape := base
			shape.Mode = mode
			m := onFake(t, &shape, 1)
			var what atomic.Pointer[flip]
			m.kernels.Wrong = func(slot uint64, row []program.Quarter) {
				if slot < from || what.Load() != nil {
					return
				}
				what.Store(newFlip(rules, row, quarter, bit))
				row[quarter].Value ^= bit
			}
			shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: true, AnswerNs: shortAnswer}
			got := tape.run(shape, engine.Ports{}, nil)
			f := what.Load()
			if got.err != nil || f == nil {
				t.Fatalf("flipped: %v; %v", f, got.err)
			}
			found := got.e.Mismatches() == 1 && errors.Is(got.e.DeviceLost(), engine.ErrMismatch)
			if f.absent {
				found = got.e.Mismatches() == 0 && got.e.DeviceLost() != nil
			}
			if found != f.counts || !found && (got.e.Mismatches() != 0 || got.e.DeviceLost() != nil) {
				t.Errorf("seed %d, slot %d: %+v, found %v (%d, %v)", seed, from, f, found, got.e.Mismatches(), got.e.DeviceLost())
			}
		})
	}
}

// flip is what a flipped bit of a row means.
type flip struct {
	counts bool // somebody reads it
	absent bool // a mask says that a signal fired which did not: the host waits for a value that is not coming
}

func newFlip(rules []risk.Rule, row []program.Quarter, quarter int, bit uint64) *flip {
	fired := row[program.RowWhen].Value | row[program.RowExit].Value
	f := &flip{
		counts: quarter < program.RowFirst,
		absent: quarter < program.RowSuppressed && bit < 1<<len(rules) && fired&bit == 0,
	}
	for i := range rules {
		r := &rules[i]
		f.counts = f.counts || fired>>i&1 != 0 && (quarter == r.ValueQuarter || quarter == r.SideQuarter || quarter == r.StrengthQuarter)
	}
	return f
}

// TestGPUImpossibleRow: a row in which a signal fires that does not exist is found before it is used, without a follower too.
func TestGPUImpossibleRow(t *testing.T) {
	tape := record(t, tapeSeed, 1500)
	base := busyShape(t)
	want := tape.run(base, engine.Ports{}, nil)
	for _, dispatch := range dispatches {
		for _, mode := range modes {
			for _, follow := range []bool{false, true} {
				for quarter := range program.RowFirst {
					t.Run(fmt.Sprintf("%s/%s/follow=%v/quarter=%d", dispatch, mode, follow, quarter), func(t *testing.T) {
						shape := base
						shape.Mode = mode
						m := onFake(t, &shape, 1)
						m.kernels.Wrong = func(slot uint64, row []program.Quarter) {
							if slot == 400 {
								row[quarter].Value |= 1 << len(shape.Desk.Rules)
							}
						}
						shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: follow}
						got := tape.run(shape, engine.Ports{}, nil)
						if got.e.Mismatches() != 1 || !errors.Is(got.e.DeviceLost(), engine.ErrMismatch) {
							t.Errorf("%d rows were wrong; lost: %v", got.e.Mismatches(), got.e.DeviceLost())
						}
						if follow {
							got.same(t, want)
							return
						}
						got.begins(t, want)
						if !errors.Is(got.err, engine.ErrDeviceLost) || !errors.Is(got.err, engine.ErrMismatch) || len(got.bodies) == len(want.bodies) {
							t.Errorf("%d of %d signals, and %v", len(got.bodies), len(want.bodies), got.err)
						}
					})
				}
			}
		}
	}
}
