package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"go.uber.org/automaxprocs/maxprocs"
)

// setProcessors makes GOMAXPROCS what the container may use, rounded down, and says so in words.
func setProcessors() string {
	said := ""
	_, err := maxprocs.Set(maxprocs.Logger(func(format string, args ...any) {
		said = strings.TrimPrefix(fmt.Sprintf(format, args...), "maxprocs: ")
	}))
	if err != nil {
		said = "no quota found: " + err.Error()
	}
	return said
}

func checkProcessors() finding {
	said := setProcessors()
	f := finding{What: "cores", State: stateOK}
	f.Text = fmt.Sprintf("GOMAXPROCS %d of %d processors (automaxprocs: %s)", runtime.GOMAXPROCS(0), runtime.NumCPU(), said)
	if runtime.GOMAXPROCS(0) < fusedBelow {
		f.Text += fmt.Sprintf("; mode auto is fused below %d", fusedBelow)
	}
	return f
}

// fusedBelow is the number of processors below which all stages share a goroutine.
const fusedBelow = 8

// checkMemory says which soft limit the runtime would get: GOMEMLIMIT, else the configuration, else nine tenths of what there is.
func checkMemory(configured int64, variable string) finding {
	f := finding{What: "memory", State: stateOK}
	available, from := memoryAvailable(os.ReadFile)
	there := "available memory is unknown here"
	if available > 0 {
		there = bytesText(available) + " by " + from
	}
	switch {
	case variable != "" && debug.SetMemoryLimit(-1) != math.MaxInt64:
		f.Text = fmt.Sprintf("limit %s by GOMEMLIMIT; %s", bytesText(debug.SetMemoryLimit(-1)), there)
	case configured > 0:
		f.Text = fmt.Sprintf("limit %s by engine.memory_limit; %s", bytesText(configured), there)
		if available > 0 && configured > available {
			f.State, f.Hint = stateFail, "engine.memory_limit is more than there is; lower it"
		}
	case available > 0:
		f.Text = fmt.Sprintf("limit %s, nine tenths of %s", bytesText(memoryLimitAuto(available)), there)
	default:
		f.State, f.Text, f.Hint = stateNote, "no limit: "+there, "set engine.memory_limit"
	}
	return f
}

// memoryLimitAuto is what `memory_limit: auto` means.
func memoryLimitAuto(available int64) int64 { return available / 10 * 9 }

// memoryAvailable returns the least of the machine's memory and the limits of the control groups around this process, and
// which it is; 0 where neither can be read.
func memoryAvailable(readFile func(string) ([]byte, error)) (bytes int64, from string) {
	consider := func(n int64, name string) {
		if n > 0 && (bytes == 0 || n < bytes) {
			bytes, from = n, name
		}
	}
	if text, err := readFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "MemTotal:" {
				kib, _ := strconv.ParseInt(fields[1], 10, 64)
				consider(kib<<10, "the machine")
			}
		}
	}
	for _, file := range groupFiles(readFile) {
		if text, err := readFile(file); err == nil {
			n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number and no limit
			consider(n, "the control group")
		}
	}
	return bytes, from
}

// groupFiles lists the files that may hold a limit: version 2 from this process's group up to the root, and version 1.
func groupFiles(readFile func(string) ([]byte, error)) []string {
	const v2, v1 = "/sys/fs/cgroup", "/sys/fs/cgroup/memory"
	files := []string{v2 + "/memory.max", v1 + "/memory.limit_in_bytes"}
	text, _ := readFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for path := strings.TrimSuffix(parts[2], "/"); path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
			switch {
			case parts[1] == "":
				files = append(files, v2+path+"/memory.max")
			case strings.Contains(parts[1], "memory"):
				files = append(files, v1+path+"/memory.limit_in_bytes")
			}
		}
	}
	return files
}

// bytesText writes a size for people.
func bytesText(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " B"
	}
	v, i := float64(n)/1024, 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + units[i:i+1] + "iB"
}
