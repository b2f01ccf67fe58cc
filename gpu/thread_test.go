//go:build !nogpu && linux && (amd64 || arm64)

package gpu

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Between the switch of contexts and the call, and while a stream is pinned, a goroutine stays on its thread, whatever else
// runs: without that it changes at most of these sleeps.
func TestGoroutineStaysOnItsThread(t *testing.T) {
	fake := cufake.New(cufake.Options{})
	defer fake.Close()
	driver, err := NewDriver(fake.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	d, err := driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	stays := func(begin func() error, end func()) (bool, error) {
		if err := begin(); err != nil {
			return false, err
		}
		defer end()
		thread := cu.Thread()
		time.Sleep(50 * time.Microsecond)
		runtime.Gosched()
		return cu.Thread() == thread, nil
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			s, err := d.NewStream(StreamOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			for range 50 {
				if ok, err := stays(d.enter, d.leave); !ok || err != nil {
					t.Errorf("a call changed threads: %v", err)
					break
				}
				if ok, err := stays(s.Pin, s.Unpin); !ok || err != nil {
					t.Errorf("a pinned stream's goroutine changed threads: %v", err)
					break
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// An event that was never recorded is not done, and waiting for it is a mistake.
func TestEventUnrecorded(t *testing.T) {
	fake := cufake.New(cufake.Options{})
	defer fake.Close()
	driver, err := NewDriver(fake.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	d, err := driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.NewEvent(false)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := e.Done(); done || err != nil {
		t.Errorf("done %v: %v", done, err)
	}
	if err := e.Sync(context.Background()); err == nil {
		t.Error("waited for nothing")
	}
	if _, err := e.Since(e); err == nil {
		t.Error("asked the time of an event that keeps none")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := e.Done(); err == nil {
		t.Error("a closed event answers")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
