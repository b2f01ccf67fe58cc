package metrics

import (
	"fmt"
	"strings"
)

// GPU says which devices run a program, how, and what became of them.
type GPU struct {
	Driver     string   `json:"driver"`   // the CUDA version that the driver speaks: "13.0"
	Dispatch   string   `json:"dispatch"` // "resident" or "stream"
	Follow     bool     `json:"follow"`   // the CPU follows and compares
	Devices    []Device `json:"devices"`
	Mismatches uint64   `json:"mismatches"` // rows in which a device and its follower differed
}

// Device is one of them.
type Device struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	PCI   string `json:"pci,omitempty"` // bus id
	Lanes int    `json:"lanes"`
	Lost  string `json:"lost,omitempty"` // why it is not used any more
}

// The names of executors.
const (
	ExecutorCPU = "cpu"
	ExecutorGPU = "gpu"
)

// Executor returns what runs the program now: "gpu" while a device does, "cpu" otherwise. A nil GPU is none.
func (g *GPU) Executor() string {
	if g == nil {
		return ExecutorCPU
	}
	for i := range g.Devices {
		if g.Devices[i].Lost == "" || !g.Follow { // one that was lost and not followed stopped the engine
			return ExecutorGPU
		}
	}
	return ExecutorCPU
}

// Lost returns one line a lost device.
func (g *GPU) Lost() (lines []string) {
	if g == nil {
		return nil
	}
	for i := range g.Devices {
		if d := &g.Devices[i]; d.Lost != "" {
			lines = append(lines, fmt.Sprintf("device %d lost: %s", d.Index, d.Lost))
		}
	}
	return lines
}

// String describes executor and devices on one line: "gpu, NVIDIA H200 (device 0, 2 lanes), resident, followed by the CPU, CUDA 13.0".
func (g *GPU) String() string {
	if g == nil {
		return ExecutorCPU
	}
	if g.Executor() == ExecutorCPU {
		return "cpu (" + strings.Join(g.Lost(), "; ") + g.differences() + ")"
	}
	var b strings.Builder
	b.WriteString(ExecutorGPU)
	for i := range g.Devices {
		d := &g.Devices[i]
		fmt.Fprintf(&b, ", %s (device %d, %d lanes", d.Name, d.Index, d.Lanes)
		if d.Lost != "" {
			b.WriteString(", lost: " + d.Lost)
		}
		b.WriteString(")")
	}
	b.WriteString(", " + g.Dispatch)
	if g.Follow {
		b.WriteString(", followed by the CPU")
	}
	return b.String() + g.differences() + ", CUDA " + g.Driver
}

func (g *GPU) differences() string {
	if g.Mismatches == 0 {
		return ""
	}
	return fmt.Sprintf(", %d rows differed", g.Mismatches)
}
