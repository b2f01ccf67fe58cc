package metrics

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Process is what a process cost: its memory, and the work of the garbage collector while it ran.
type Process struct {
	ResidentBytes     uint64 `json:"resident_bytes"`      // now; 0 where the system does not say
	ResidentPeakBytes uint64 `json:"resident_peak_bytes"` // the most it ever was
	HeapBytes         uint64 `json:"heap_bytes"`          // live objects and garbage not yet collected
	AllocatedBytes    uint64 `json:"allocated_bytes"`     // all that was ever allocated meanwhile
	Allocations       uint64 `json:"allocations"`
	Collections       uint64 `json:"collections"`
	PauseNs           uint64 `json:"pause_ns"`     // in which the collector stopped everything, added up
	PauseMaxNs        uint64 `json:"pause_max_ns"` // the longest; of more than 256 collections, of the last 256

	pauses [256]uint64 // of collection n at (n - 1) mod 256
}

// ReadProcess returns the account of this process since it began. It stops every goroutine for some tens of microseconds.
func ReadProcess() Process {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p := Process{
		HeapBytes: m.HeapAlloc, AllocatedBytes: m.TotalAlloc, Allocations: m.Mallocs,
		Collections: uint64(m.NumGC), PauseNs: m.PauseTotalNs, pauses: m.PauseNs,
	}
	p.PauseMaxNs = p.longest(p.Collections)
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		p.ResidentBytes, p.ResidentPeakBytes = residentOf(string(text))
	}
	return p
}

// longest returns the longest pause of the last n collections, of those that are known.
func (p *Process) longest(n uint64) (ns uint64) {
	size := uint64(len(p.pauses))
	for back := range min(n, size) {
		ns = max(ns, p.pauses[(p.Collections-1-back)%size])
	}
	return ns
}

// residentOf finds the two sizes in /proc/PID/status.
func residentOf(status string) (now, peak uint64) {
	for line := range strings.Lines(status) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "VmRSS:" && fields[0] != "VmHWM:" {
			continue
		}
		kib, _ := strconv.ParseUint(fields[1], 10, 64)
		if fields[0] == "VmRSS:" {
			now = kib << 10
		} else {
			peak = kib << 10
		}
	}
	return now, peak
}

// Since returns the account without what was done before an earlier one. Memory and its peak stay as they are.
func (p Process) Since(earlier *Process) Process {
	p.PauseMaxNs = p.longest(p.Collections - earlier.Collections)
	p.AllocatedBytes -= earlier.AllocatedBytes
	p.Allocations -= earlier.Allocations
	p.Collections -= earlier.Collections
	p.PauseNs -= earlier.PauseNs
	return p
}

// String is a line for people.
func (p *Process) String() string {
	const mib = 1 << 20
	return fmt.Sprintf("%.1f MiB resident (at most %.1f), %.1f MiB in %d allocations, %d collections, %v of pauses (one at most %v)",
		float64(p.ResidentBytes)/mib, float64(p.ResidentPeakBytes)/mib, float64(p.AllocatedBytes)/mib, p.Allocations, p.Collections,
		time.Duration(p.PauseNs), time.Duration(p.PauseMaxNs))
}
