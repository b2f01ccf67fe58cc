package gpu

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// ErrNoCompiler says that the run-time compiler's library is not installed. It comes with the CUDA toolkit, not the driver.
var ErrNoCompiler = errors.New("gpu: no NVRTC")

// Compiler turns CUDA C++ into code for a device, by NVRTC. Nothing in the engine needs it: its kernels are PTX already. It is
// safe for use from any goroutine.
type Compiler struct {
	entry        [compilerCalls]uintptr
	major, minor int
}

const (
	rtcVersion = iota
	rtcCreate
	rtcCompile
	rtcDestroy
	rtcLogSize
	rtcLog
	rtcPTXSize
	rtcPTX
	rtcCubinSize
	rtcCubin
	compilerCalls
)

var compilerNames = [compilerCalls]string{
	"nvrtcVersion", "nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcDestroyProgram", "nvrtcGetProgramLogSize",
	"nvrtcGetProgramLog", "nvrtcGetPTXSize", "nvrtcGetPTX", "nvrtcGetCUBINSize", "nvrtcGetCUBIN",
}

// OpenCompiler loads the installed run-time compiler. Without one it returns ErrNoCompiler with every name tried.
func OpenCompiler() (*Compiler, error) {
	lookup, err := cu.Open(cu.NVRTCNames()...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCompiler, err)
	}
	return NewCompiler(Lookup(lookup))
}

// NewCompiler is the compiler whose entry points lookup gives. One before CUDA 11.2, which makes no cubin, is refused.
func NewCompiler(lookup Lookup) (*Compiler, error) {
	c := &Compiler{}
	for i, name := range compilerNames {
		address, err := lookup(name)
		if err != nil {
			return nil, fmt.Errorf("%w: it lacks %s: %w", ErrNoCompiler, name, err)
		}
		c.entry[i] = address
	}
	var major, minor int32
	if err := c.call(rtcVersion, uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor))); err != nil {
		return nil, err
	}
	c.major, c.minor = int(major), int(minor)
	return c, nil
}

// Version returns the compiler's CUDA version.
func (c *Compiler) Version() (major, minor int) { return c.major, c.minor }

// CompilerError is a program that does not compile, or a call of the compiler that failed.
type CompilerError struct {
	Op   string
	Code int32
	Log  string // what the compiler said
}

func (e *CompilerError) Error() string {
	text := fmt.Sprintf("gpu: %s: result %d", e.Op, e.Code)
	if e.Code == 6 {
		text = fmt.Sprintf("gpu: %s: the program does not compile", e.Op)
	}
	if e.Log != "" {
		text += "\n" + e.Log
	}
	return text
}

//go:uintptrescapes
func (c *Compiler) call(entry int, args ...uintptr) error {
	if r := cu.Address(c.entry[entry], args); r != cu.Success {
		return &CompilerError{Op: compilerNames[entry], Code: int32(r)}
	}
	return nil
}

// Compile compiles CUDA C++ for an architecture such as "sm_90", with options such as "-I/opt/include". It adds what the
// numeric contract needs: no fused multiply-add, exact division and roots, subnormals kept. It returns a cubin for that
// architecture, and what the compiler said, warnings too. For an architecture "compute_90" it returns PTX.
func (c *Compiler) Compile(name, source, architecture string, options ...string) (code []byte, log string, err error) {
	text, title := append([]byte(source), 0), append([]byte(name), 0)
	var program uintptr
	if err := c.call(rtcCreate, uintptr(unsafe.Pointer(&program)), uintptr(unsafe.Pointer(&text[0])),
		uintptr(unsafe.Pointer(&title[0])), 0, 0, 0); err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, c.call(rtcDestroy, uintptr(unsafe.Pointer(&program)))) }()
	all := append([]string{
		"--gpu-architecture=" + architecture, "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false",
	}, options...)
	compiled := c.compile(program, all)
	logText, logErr := c.bytes(program, rtcLogSize, rtcLog)
	log = strings.TrimSpace(strings.TrimRight(string(logText), "\x00"))
	if failed := new(CompilerError); errors.As(compiled, &failed) {
		failed.Log = log
		return nil, log, failed
	}
	if logErr != nil {
		return nil, "", logErr
	}
	if strings.HasPrefix(architecture, "compute_") {
		code, err = c.bytes(program, rtcPTXSize, rtcPTX)
		return []byte(strings.TrimRight(string(code), "\x00")), log, err
	}
	code, err = c.bytes(program, rtcCubinSize, rtcCubin)
	if err == nil && len(code) == 0 {
		err = &CompilerError{Op: "nvrtcGetCUBIN", Log: "no code for architecture " + architecture}
	}
	return code, log, err
}

func (c *Compiler) compile(program uintptr, options []string) error {
	texts, pointers := make([][]byte, len(options)), make([]*byte, len(options))
	for i, o := range options {
		texts[i] = append([]byte(o), 0)
		pointers[i] = &texts[i][0]
	}
	return c.call(rtcCompile, program, uintptr(len(options)), uintptr(unsafe.Pointer(&pointers[0])))
}

// bytes asks for a size and then for the text of that size.
func (c *Compiler) bytes(program uintptr, size, get int) ([]byte, error) {
	var n uintptr
	if err := c.call(size, program, uintptr(unsafe.Pointer(&n))); err != nil || n == 0 {
		return nil, err
	}
	b := make([]byte, n)
	return b, c.call(get, program, uintptr(unsafe.Pointer(&b[0])))
}
