package main

import (
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/executor"
	"github.com/sigengine/sigengine/internal/setup"
)

// checkGPU says whether the program would run on a GPU, why not, and what it would cost there.
func (a *app) checkGPU(c *config.Config, flags *shapeFlags) ([]finding, error) {
	shape, _, err := setup.Engine(c)
	if err != nil {
		return nil, err
	}
	flags.apply(&shape)
	owner := flags.owner(a, c.Engine, true)
	defer a.closeDevices(owner)
	if owner.Asked() == config.ExecutorCPU {
		return []finding{{What: "gpu", State: stateOK, Text: "not asked for: the executor is cpu"}}, nil
	}
	found := owner.Look(&shape)
	findings := []finding{gpuFinding(found, owner.Asked())}
	if cost, ok := gpuCost(found, &shape); ok {
		findings = append(findings, cost)
	}
	return findings, nil
}

// gpuFinding describes drivers and devices.
func gpuFinding(found *executor.Findings, asked config.Executor) finding {
	f := finding{What: "gpu", State: stateOK}
	var lines []string
	for i := range found.Devices {
		lines = append(lines, deviceText(&found.Devices[i]))
	}
	if found.CUDA != "" {
		lines = append(lines, strings.TrimSpace("driver "+found.Driver)+", CUDA "+found.CUDA)
	}
	switch p := found.Problem; {
	case p == nil && found.Needs == nil:
		lines = append(lines, "there is no program to try")
	case p == nil:
		lines = append(lines, fmt.Sprintf("the program was compiled and started on %s, %s dispatch", numbers(found.Used), found.Dispatch))
	case asked == config.ExecutorGPU:
		f.State, f.Hint = stateFail, p.Hint
		lines = saidOnce(lines, p.Text)
	default:
		lines = append(saidOnce(lines, p.Text), "the CPU runs the program")
		if !p.Nothing {
			f.State, f.Hint = stateNote, p.Hint
		}
	}
	f.Text = strings.Join(lines, "; ")
	return f
}

// saidOnce adds a line that no other has.
func saidOnce(lines []string, text string) []string {
	for _, line := range lines {
		if strings.HasSuffix(line, text) {
			return lines
		}
	}
	return append(lines, text)
}

// deviceText describes a device: "GPU 0, NVIDIA H200: 132 multiprocessors, 139.2 GiB free of 139.8 GiB".
func deviceText(d *executor.Found) string {
	text := fmt.Sprintf("GPU %d, %s: ", d.Index, d.Name)
	if d.Problem != nil && strings.HasPrefix(d.Problem.Text, "GPU ") {
		return d.Problem.Text
	}
	if d.Problem != nil {
		return text + d.Problem.Text
	}
	text += fmt.Sprintf("%d multiprocessors, %s free of %s", d.SMs, bytesText(int64(d.FreeBytes)), bytesText(int64(d.MemoryBytes)))
	if d.Exclusive {
		text += ", exclusive mode: no other process can use it beside this one"
	}
	if strings.Contains(d.Name, "MIG") {
		text += ", a MIG instance"
	}
	return text
}

func numbers(list []int) string {
	text := "GPU"
	for i, n := range list {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d", n)
	}
	return text
}

// gpuCost says what the program needs on GPUs; ok is false without a program, or for one that no GPU can run.
func gpuCost(found *executor.Findings, shape *engine.Config) (f finding, ok bool) {
	if shape.Program == nil {
		return f, false
	}
	needs := found.Needs
	if needs == nil {
		one, err := engine.GPUNeeds(shape, 1, found.Dispatch)
		if err != nil {
			return f, false
		}
		needs = &one
	}
	f = finding{What: "gpu cost", State: stateOK}
	f.Text = fmt.Sprintf("%s of state an instrument, room for %d; %s a tick in, %s a row out; lanes %d",
		bytesText(int64(needs.StateBytes)), shape.Instruments, bytesText(int64(needs.SlotBytes)), bytesText(int64(needs.RowBytes)), needs.Lanes)
	if needs.LanesOnDevice != needs.Lanes {
		f.Text += fmt.Sprintf(", at most %d on a GPU", needs.LanesOnDevice)
	}
	f.Text += fmt.Sprintf("; %s of a GPU's memory, %s pinned here", bytesText(int64(needs.DeviceBytes)), bytesText(int64(needs.PinnedBytes)))
	if len(found.Used) > 0 {
		for i := range found.Devices {
			if d := &found.Devices[i]; d.Index == found.Used[0] {
				f.Text += fmt.Sprintf("; %s is free", bytesText(int64(d.FreeBytes)))
			}
		}
	}
	return f, true
}
