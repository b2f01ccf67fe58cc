package hazard_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/sigengine/sigengine/gpu/hazard"
)

// bench is a tracker, three streams and a piece of memory.
type bench struct {
	*hazard.Tracker
	a, b, c hazard.StreamID
	x       *hazard.Memory
	events  map[string]hazard.Event
}

func newBench() *bench {
	t := hazard.New()
	return &bench{t, t.Stream(), t.Stream(), t.Stream(), t.NewMemory("x"), map[string]hazard.Event{}}
}

func TestOrder(t *testing.T) {
	const host = hazard.Host
	tests := []struct {
		name string
		run  func(k *bench) error // the last operation's verdict; earlier ones must pass
		kind string               // "" passes
	}{
		{"one stream needs no event", func(k *bench) error {
			return errors.Join(k.Write(k.a, k.x, "copy"), k.Read(k.a, k.x, "kernel"), k.Write(k.a, k.x, "kernel"), k.Free(k.a, k.x, "free"))
		}, ""},
		{"read after write", func(k *bench) error {
			return errors.Join(k.Write(k.a, k.x, "copy"), k.Read(k.b, k.x, "kernel"))
		}, "read after write"},
		{"an event orders it", func(k *bench) error {
			err := k.Write(k.a, k.x, "copy")
			k.Wait(k.b, k.Record(k.a))
			return errors.Join(err, k.Read(k.b, k.x, "kernel"))
		}, ""},
		{"an event recorded too early", func(k *bench) error {
			e := k.Record(k.a)
			err := k.Write(k.a, k.x, "copy")
			k.Wait(k.b, e)
			return errors.Join(err, k.Read(k.b, k.x, "kernel"))
		}, "read after write"},
		{"write after write", func(k *bench) error {
			return errors.Join(k.Write(k.a, k.x, "copy"), k.Write(k.b, k.x, "copy"))
		}, "write after write"},
		{"waiting on the host orders other streams", func(k *bench) error {
			err := k.Write(k.a, k.x, "copy")
			k.HostSync(k.a)
			return errors.Join(err, k.Read(k.b, k.x, "kernel"))
		}, ""},
		{"waiting for an event on the host", func(k *bench) error {
			err := k.Write(k.a, k.x, "copy")
			k.HostSyncEvent(k.Record(k.a))
			return errors.Join(err, k.Read(host, k.x, "host"))
		}, ""},
		{"host read before sync", func(k *bench) error {
			return errors.Join(k.Write(k.a, k.x, "copy out"), k.Read(host, k.x, "host"))
		}, "read after write"},
		{"host reuses a staging buffer too early", func(k *bench) error {
			return errors.Join(k.Read(k.a, k.x, "copy in"), k.Write(host, k.x, "host"))
		}, "write after read"},
		{"free while in flight", func(k *bench) error {
			err := k.Write(k.a, k.x, "kernel")
			k.HostSync(k.a)
			return errors.Join(err, k.Read(k.b, k.x, "kernel"), k.Free(k.a, k.x, "close"))
		}, "write after read"},
		{"use after free", func(k *bench) error {
			return errors.Join(k.Free(k.a, k.x, "close"), k.Read(k.a, k.x, "kernel"))
		}, "use after free"},
		{"order is carried on", func(k *bench) error {
			err := k.Write(k.a, k.x, "copy")
			k.Wait(k.b, k.Record(k.a))
			k.Wait(k.c, k.Record(k.b))
			return errors.Join(err, k.Read(k.c, k.x, "kernel"))
		}, ""},
		{"a writer that waited for one reader of two", func(k *bench) error {
			err := k.Write(k.a, k.x, "copy")
			e := k.Record(k.a)
			k.Wait(k.b, e)
			k.Wait(k.c, e)
			err = errors.Join(err, k.Read(k.b, k.x, "kernel"), k.Read(k.c, k.x, "kernel"))
			k.Wait(k.a, k.Record(k.c))
			return errors.Join(err, k.Write(k.a, k.x, "copy"))
		}, "write after read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := newBench()
			err := test.run(k)
			found, count := k.Take()
			if test.kind == "" {
				if err != nil || count != 0 {
					t.Fatalf("reported %v", err)
				}
				return
			}
			if count != 1 || len(found) != 1 || found[0].Kind != test.kind {
				t.Fatalf("found %v, want one %q", found, test.kind)
			}
			if f := new(hazard.Finding); !errors.As(err, &f) || f.Error() == "" {
				t.Fatalf("the access was not refused: %v", err)
			}
			if _, again := k.Take(); again != 0 {
				t.Fatal("Take gives the same findings twice")
			}
		})
	}
}

// Against a model that keeps, for every operation, the whole set of operations before it.
func TestAgainstSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const streams = 3
		k := hazard.New()
		for range streams {
			k.Stream()
		}
		x := k.NewMemory("x")
		type set map[int]bool
		before := make([]set, streams+1) // what is before the next operation of a stream; 0 is the host
		for i := range before {
			before[i] = set{}
		}
		join := func(to, from set) {
			for op := range from {
				to[op] = true
			}
		}
		var events []hazard.Event
		var eventSets []set
		lastWrite, reads, next := -1, []int{}, 0
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			s := rapid.IntRange(0, streams).Draw(t, "stream")
			id := hazard.StreamID(s)
			if s != 0 {
				join(before[s], before[0])
			}
			switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
			case kind <= 1: // an access
				writes := kind == 1
				ok := lastWrite < 0 || before[s][lastWrite]
				if writes {
					for _, r := range reads {
						ok = ok && before[s][r]
					}
				}
				var err error
				if writes {
					err = k.Write(id, x, "w")
				} else {
					err = k.Read(id, x, "r")
				}
				if (err == nil) != ok {
					t.Fatalf("operation %d: reported %v, the sets say ordered=%v", next, err, ok)
				}
				if !ok {
					continue
				}
				if writes {
					lastWrite, reads = next, reads[:0]
				} else {
					reads = append(reads, next)
				}
				before[s][next] = true
				next++
			case kind == 2 && s != 0:
				e := set{}
				join(e, before[s])
				events, eventSets = append(events, k.Record(id)), append(eventSets, e)
			case kind == 3 && len(events) > 0:
				i := rapid.IntRange(0, len(events)-1).Draw(t, "event")
				if s == 0 {
					k.HostSyncEvent(events[i])
				} else {
					k.Wait(id, events[i])
				}
				join(before[s], eventSets[i])
			case kind == 4 && s != 0:
				k.HostSync(id)
				join(before[0], before[s])
			}
		}
	})
}

func TestReadAllocatesNothing(t *testing.T) {
	k := newBench()
	if n := testing.AllocsPerRun(100, func() { _ = k.Read(k.a, k.x, "kernel") }); n != 0 {
		t.Fatalf("%v allocations a read", n)
	}
}

func BenchmarkWriteAfterReads(b *testing.B) {
	k := newBench()
	for b.Loop() {
		if err := k.Read(k.a, k.x, "kernel"); err != nil {
			b.Fatal(err)
		}
		if err := k.Write(k.a, k.x, "kernel"); err != nil {
			b.Fatal(err)
		}
	}
}
