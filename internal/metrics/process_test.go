package metrics

import (
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestProcess: what is allocated and collected between two accounts is in their difference, and nothing else.
func TestProcess(t *testing.T) {
	before := ReadProcess()
	kept := make([][]byte, 100)
	for i := range kept {
		kept[i] = make([]byte, 1<<16)
	}
	runtime.GC()
	after := ReadProcess()
	runtime.KeepAlive(kept)
	d := after.Since(&before)
	if d.AllocatedBytes < 100<<16 || d.AllocatedBytes > 200<<16 || d.Allocations < 100 || d.Allocations > 10_000 || d.Collections < 1 || d.PauseNs == 0 || d.PauseMaxNs > d.PauseNs {
		t.Errorf("%+v", d)
	}
	if after.HeapBytes < 100<<16 || after.PauseMaxNs == 0 || after.PauseMaxNs > after.PauseNs {
		t.Errorf("%+v", after)
	}
	if _, err := os.Stat("/proc/self/status"); err == nil && (after.ResidentBytes < 1<<20 || after.ResidentPeakBytes < after.ResidentBytes) {
		t.Errorf("%+v", after)
	}
}

// TestLongestPause: only pauses between the two accounts count, also where the table of pauses has come round.
func TestLongestPause(t *testing.T) {
	var before, after Process
	before.Collections, after.Collections = 300, 303
	after.pauses[(300-1)%256] = 90 // before
	after.pauses[(301-1)%256] = 5
	after.pauses[(303-1)%256] = 7
	if d := after.Since(&before); d.PauseMaxNs != 7 || d.Collections != 3 {
		t.Errorf("%d of %d", d.PauseMaxNs, d.Collections)
	}
	if d := after.Since(&after); d.PauseMaxNs != 0 {
		t.Errorf("%d of none", d.PauseMaxNs)
	}
	if n := after.longest(after.Collections); n != 90 {
		t.Errorf("%d of all", n)
	}
}

func TestResidentOf(t *testing.T) {
	now, peak := residentOf("Name:\tx\nVmPeak:\t  99 kB\nVmHWM:\t   300 kB\nVmRSS:\t   200 kB\nRssAnon:\t 1 kB\n")
	if now != 200<<10 || peak != 300<<10 {
		t.Errorf("%d, at most %d", now, peak)
	}
	for _, text := range []string{"", "VmRSS:\n", "VmRSS: x kB\n"} {
		if now, peak := residentOf(text); now != 0 || peak != 0 {
			t.Errorf("%d and %d of %q", now, peak, text)
		}
	}
}

func TestProcessWords(t *testing.T) {
	p := Process{
		ResidentBytes: 40 << 20, ResidentPeakBytes: 41 << 20, AllocatedBytes: 3 << 19, Allocations: 7, Collections: 2, PauseNs: 150_000, PauseMaxNs: 100_000,
	}
	if got, want := p.String(), "40.0 MiB resident (at most 41.0), 1.5 MiB in 7 allocations, 2 collections, 150µs of pauses (one at most 100µs)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text, err := json.Marshal(&p); err != nil || !strings.Contains(string(text), `"collections":2,"pause_ns":150000`) {
		t.Errorf("%s, %v", text, err)
	}
}
