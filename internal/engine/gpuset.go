package engine

import (
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/mailbox"
	"github.com/sigengine/sigengine/kernels/cuda"
	"github.com/sigengine/sigengine/kernels/program"
)

// Dispatch says how a GPU is given its work.
type Dispatch uint8

// The ways.
const (
	DispatchResident Dispatch = 0 // a kernel stays on the GPU and polls slots: least latency, for live work
	DispatchStream   Dispatch = 1 // copy in and launch, several batches in flight: for replays and sweeps
)

// String returns the way as the configuration spells it.
func (d Dispatch) String() string {
	if d == DispatchStream {
		return "stream"
	}
	return "resident"
}

// GPU says that the lanes' programs run on GPUs. The rows are the CPU's, bit for bit.
type GPU struct {
	Devices  []*gpu.Device // lanes are dealt out over them; their owner closes them after the engine has ended
	Dispatch Dispatch
	// Follow runs every lane on the CPU too, behind: the rows are compared, and when a device is lost the engine goes on
	// from there without a wrong or missing signal. Without it a lost device stops the engine.
	Follow bool
	// AnswerNs is how long a device may owe a row before it is taken to be lost; 0: five seconds.
	AnswerNs int64
}

// ErrDeviceLost says that a GPU stopped working and nothing could take its place.
var ErrDeviceLost = errors.New("engine: a GPU was lost; start again, with --executor cpu if it stays so")

// ErrMismatch says that a GPU gave a row that the follower does not: it is not used any more.
var ErrMismatch = errors.New("engine: a GPU computed another row than the CPU and is not used any more; test the device, and verify the journal")

// gpuSet is one device's lanes.
type gpuSet struct {
	config  *Config
	device  *gpu.Device
	module  *gpu.Module
	stream  *gpu.Stream // the resident kernel's
	table   *gpu.HostBuffer[cuda.Lane]
	lanes   []*gpuLane
	shape   cuda.Shape
	started bool

	clock    feed.Clock // for what is overdue, and nothing else
	answerNs int64
}

// laneArguments are the parameters of both kernels.
type laneArguments struct{ Lanes gpu.Ptr[cuda.Lane] }

// newGPUSet compiles the program for a device and allocates everything, before any kernel stays on it.
func newGPUSet(config *Config, device *gpu.Device, lanes []*lane, instruments int) (*gpuSet, error) {
	s := &gpuSet{config: config, device: device, clock: feed.NewSystemClock(), answerNs: config.GPU.AnswerNs}
	if s.answerNs <= 0 {
		s.answerNs = answerTimeoutNs
	}
	if err := s.load(len(lanes)); err != nil {
		return nil, errors.Join(err, s.close())
	}
	for _, l := range lanes {
		g, err := newGPULane(s, l, instruments)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.lanes = append(s.lanes, g)
		l.gpu = g
	}
	return s, nil
}

func (s *gpuSet) load(lanes int) error {
	p := s.config.Program
	if p.SlotQuarters > cuda.SlotQuartersMax {
		return fmt.Errorf("%w: slots of %d quarters, the GPU kernels take %d", ErrConfig, p.SlotQuarters, cuda.SlotQuartersMax)
	}
	if n := s.device.Info().SMs; s.config.GPU.Dispatch == DispatchResident && lanes > n {
		return fmt.Errorf("%w: %d lanes on %s, which has %d multiprocessors: a resident lane keeps one for itself; use fewer lanes, more devices or stream dispatch",
			ErrConfig, lanes, s.device.Info().Name, n)
	}
	skeleton := cuda.Resident
	if s.config.GPU.Dispatch == DispatchStream {
		skeleton = cuda.Batch
	}
	if skeleton == cuda.Resident && !mailbox.Supported() {
		return fmt.Errorf("%w: this processor has no indivisible stores of 16 bytes, which resident kernels need; use stream dispatch or the CPU", ErrConfig)
	}
	s.shape = cuda.ShapeOf(p)
	module, err := s.device.LoadModule([]byte(cuda.Whole(skeleton, p, s.shape.Warps)))
	if err != nil {
		return fmt.Errorf("engine: compile for %s: %w", s.device.Info().Name, err)
	}
	s.module = module
	return nil
}

// start begins the resident kernel, when every lane of the device has its memory.
func (s *gpuSet) start() error {
	if s.started || s.config.GPU.Dispatch == DispatchStream {
		return nil
	}
	s.started = true
	kernel, err := gpu.LoadKernel[laneArguments](s.module, string(cuda.Resident))
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	if s.table, err = gpu.AllocHost[cuda.Lane](s.device, len(s.lanes), gpu.Mailbox); err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	table, err := s.table.Slice()
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	uses := []gpu.Use{s.table.In()}
	for i, g := range s.lanes {
		table[i] = g.describe()
		uses = append(uses, g.in.In(), g.out.Out(), g.state.Out())
	}
	if s.stream, err = s.device.NewStream(gpu.StreamOptions{Name: "resident"}); err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	shape, err := launchShape(kernel, s.shape, cuda.Resident, len(s.lanes))
	if err != nil {
		return err
	}
	if err := gpu.Launch(s.stream, kernel, shape, &laneArguments{s.table.Ptr()}, uses...); err != nil {
		return fmt.Errorf("engine: start the resident kernel: %w", err)
	}
	return nil
}

// ended reports whether the resident kernel has stopped, which it does only when told to: a dead kernel sets no flag.
func (s *gpuSet) ended() error {
	if err := s.device.Lost(); err != nil {
		return err
	}
	if s.stream == nil {
		return errors.New("engine: the resident kernel did not start")
	}
	idle, err := s.stream.Idle()
	if err != nil {
		return err
	}
	if idle {
		return errors.New("engine: the resident kernel has ended by itself")
	}
	return nil
}

// close stops the kernel and frees everything.
func (s *gpuSet) close() error {
	var errs []error
	if s.stream != nil {
		for _, g := range s.lanes {
			g.stop()
		}
		errs = append(errs, s.closeStream(s.stream))
	}
	for _, g := range s.lanes {
		errs = append(errs, g.close())
	}
	if s.table != nil {
		errs = append(errs, s.table.Close())
	}
	if s.module != nil {
		errs = append(errs, s.module.Close())
	}
	return errors.Join(errs...)
}

// launchShape is the shape of so many blocks of a skeleton kernel, and lets the kernel have the memory that it takes.
func launchShape(kernel *gpu.Kernel[laneArguments], shape cuda.Shape, skeleton cuda.Module, blocks int) (gpu.Config, error) {
	if shape.ExchangeBytes > 0 {
		if err := kernel.AllowShared(shape.ExchangeBytes); err != nil {
			return gpu.Config{}, fmt.Errorf("engine: %w", err)
		}
	}
	return gpu.Config{
		Grid: gpu.Dim{X: blocks}, Block: gpu.Dim{X: shape.Threads(skeleton)}, SharedBytes: shape.ExchangeBytes,
	}, nil
}

// initialState is the state of so many instruments that have seen nothing.
func initialState(p *program.Program, instruments int) []uint64 {
	state := make([]uint64, 0, instruments*p.StateWords)
	for range instruments {
		state = append(state, p.Init...)
	}
	return state
}
