package executor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/internal/engine"
)

// Problem says why a GPU cannot be used, in one line, and what an operator can do about it in another.
type Problem struct {
	Text, Hint string
	// Nothing says that there is no sign of a GPU here at all, so that nobody expects one to be used.
	Nothing bool
	Err     error // what was found; may be nil
}

// Error gives both on one line.
func (p *Problem) Error() string {
	if p.Hint == "" {
		return p.Text
	}
	return p.Text + "; " + p.Hint
}

// Unwrap returns what was found.
func (p *Problem) Unwrap() error { return p.Err }

const hintContainer = "in a container, give it the GPU (docker run --gpus all, or the device plugin's resource)"

// Results of the driver that mean something to an operator here, as cuda.h numbers them.
const (
	codeNoDevice          gpu.Code = 100
	codeDeviceUnavailable gpu.Code = 46
	codeUnsupportedPTX    gpu.Code = 222
	codeNoBinary          gpu.Code = 209
	codeNoJIT             gpu.Code = 221
	codeOperatingSystem   gpu.Code = 304
	codeUnknown           gpu.Code = 999
)

// Explain says in words what an error of opening or using a GPU means on a machine.
func Explain(err error, m Machine) *Problem {
	var has *Problem
	if errors.As(err, &has) {
		return has
	}
	m = m.complete()
	p := &Problem{Err: err}
	switch {
	case errors.Is(err, gpu.ErrNotBuilt):
		p.Text, p.Hint, p.Nothing = "this binary has no CUDA in it", "use a build without the tag nogpu, for Linux on amd64 or arm64, or the CPU executor; the output is the same", true
	case errors.Is(err, gpu.ErrOldDriver):
		p.Text = "the NVIDIA driver is too old: its library lacks entry points"
		p.Hint = oldDriverHint(m)
	case errors.Is(err, gpu.ErrNoDriver):
		m.explainLibrary(p)
	default:
		m.explainCall(p, err)
	}
	return p
}

func oldDriverHint(m Machine) string {
	hint := fmt.Sprintf("install a driver for CUDA %d.%d or newer (550 or newer)", engine.GPUDriverMajor, engine.GPUDriverMinor)
	if number := m.kernelDriver(); number != "" {
		hint += "; this one is " + number
	}
	return hint
}

// explainLibrary says why libcuda is not there.
func (m Machine) explainLibrary(p *Problem) {
	switch own := m.Env("SIGENGINE_LIBCUDA"); {
	case own != "":
		p.Text, p.Hint = "SIGENGINE_LIBCUDA names "+own+", which cannot be loaded", "correct it or unset it"
	case m.kernelDriver() != "":
		p.Text = "the NVIDIA kernel driver " + m.kernelDriver() + " is loaded, but its library libcuda.so.1 is not found"
		p.Hint = hintContainer + "; elsewhere install the driver's library package, of the same version"
	case m.hasGPU():
		p.Text, p.Hint = "there is an NVIDIA GPU, but no NVIDIA driver", oldDriverHint(m)
	default:
		p.Text, p.Hint, p.Nothing = "no NVIDIA GPU and no driver here", "use the CPU executor, the output is the same; "+hintContainer, true
	}
}

// explainCall says what a call that the driver refused means.
func (m Machine) explainCall(p *Problem, err error) {
	var e *gpu.Error
	if !errors.As(err, &e) {
		p.Text, p.Hint = strings.TrimPrefix(firstLine(err.Error()), "engine: "), "see docs/executor.md"
		return
	}
	denied, absent := m.denied(), m.absent()
	unseen := e.Code == codeNoDevice || e.Code == codeOperatingSystem || e.Code == codeUnknown
	switch {
	case unseen && denied != "":
		p.Text, p.Hint = "no permission to use "+denied, "let this user read and write it (its group: ls -l "+denied+"); in a container see --device and --user"
	case unseen && absent != "" && m.kernelDriver() != "":
		p.Text, p.Hint = "the driver is loaded, but "+absent+"* is not there", "run nvidia-modprobe -u -c 0 on the host; "+hintContainer
	case e.Code == codeNoDevice && m.Env("CUDA_VISIBLE_DEVICES") != "":
		p.Text = fmt.Sprintf("CUDA_VISIBLE_DEVICES is %q, and none of that is here", m.Env("CUDA_VISIBLE_DEVICES"))
		p.Hint = "correct it or unset it"
	case e.Code == codeNoDevice:
		p.Text, p.Hint = "the driver sees no GPU", "see nvidia-smi; a GPU in MIG mode needs an instance (nvidia-smi mig -lgi); "+hintContainer
	case e.Code == codeDeviceUnavailable:
		p.Text, p.Hint = "the GPU is taken: another process has it, in exclusive mode", "end that process (nvidia-smi lists it) or allow several (nvidia-smi -c DEFAULT)"
	case errors.Is(err, gpu.ErrOutOfMemory):
		p.Text, p.Hint = "the GPU's memory is full: "+callText(e), "end what else uses it (nvidia-smi), or lower engine.instruments or --lanes"
	case e.Code == codeUnsupportedPTX || e.Code == codeNoBinary:
		p.Text, p.Hint = "the NVIDIA driver cannot compile the program: "+e.Name, oldDriverHint(m)
	case e.Code == codeNoJIT:
		p.Text, p.Hint = "the driver's compiler libnvidia-ptxjitcompiler.so.1 is missing", "it comes with the driver; "+hintContainer
	default:
		p.Text, p.Hint = callText(e), e.Hint
	}
}

// callText is what the driver said of which call.
func callText(e *gpu.Error) string {
	return fmt.Sprintf("%s: %s (%d): %s", e.Op, e.Name, e.Code, firstLine(e.Text))
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}
