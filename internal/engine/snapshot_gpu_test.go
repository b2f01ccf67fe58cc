//go:build !nogpu && linux && (amd64 || arm64)

package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/sigengine/sigengine/internal/engine"
)

// TestGPUSnapshot: the state of a followed lane is its follower's, and a device goes on from it, followed or not, as the CPU does.
func TestGPUSnapshot(t *testing.T) {
	tape := busyTape(t, tapeSeed, 1500)
	shape := cutShapes(t)["others"]
	cut, n := len(tape.ticks)/3, len(tape.ticks)
	want, err := tape.part(shape, nil, 0, n, true)
	if err != nil || want.count < 10 {
		t.Fatalf("%d signals, %v", want.count, err)
	}
	half, err := tape.part(shape, nil, 0, cut, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, dispatch := range dispatches {
		for _, mode := range modes {
			t.Run(fmt.Sprint(dispatch, mode), func(t *testing.T) {
				shape := shape
				shape.Mode, shape.Lanes = mode, 2
				m := onFake(t, &shape, 1)
				shape.GPU = &engine.GPU{Devices: m.devices, Dispatch: dispatch, Follow: true}
				followed, err := tape.part(shape, nil, 0, cut, false)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(followed.state) != fmt.Sprint(half.state) {
					t.Error("the follower's state is not the CPU's")
				}
				for _, follow := range []bool{true, false} {
					shape.GPU.Follow = follow
					rest, err := tape.part(shape, half.state, cut, n, true)
					if err != nil {
						t.Fatal(err)
					}
					if rest.hash != want.hash {
						t.Errorf("follow=%v: hash %s of %d signals, want %s of %d", follow, rest.hash, rest.count, want.hash, want.count)
					}
				}
				if _, err := tape.part(shape, nil, 0, cut, false); !errors.Is(err, engine.ErrSnapshot) {
					t.Errorf("not followed: %v", err)
				}
			})
		}
	}
}
