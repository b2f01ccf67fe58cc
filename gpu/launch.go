package gpu

import (
	"fmt"
	"unsafe"

	"github.com/sigengine/sigengine/gpu/internal/cu"
)

// Dim is a size in up to three directions; a direction of 0 counts as 1 but for X.
type Dim struct{ X, Y, Z int }

func (d Dim) full() Dim { return Dim{d.X, max(d.Y, 1), max(d.Z, 1)} }

func (d Dim) at(i int) int { return [3]int{d.X, d.Y, d.Z}[i] }

func (d Dim) count() int { return d.X * d.Y * d.Z }

// Config is the shape of a launch.
type Config struct {
	Grid        Dim  // blocks
	Block       Dim  // threads
	Cluster     Dim  // blocks that run together; zero: none
	SharedBytes int  // dynamic shared memory a block
	Cooperative bool // all blocks are on the device at once, so that they may wait for each other
	// OwnDomain keeps the kernel's system-wide fences from waiting for other kernels' traffic (Hopper and later).
	OwnDomain bool
}

// Linear is the shape for n items, one a thread.
func Linear(n, blockThreads int) Config {
	return Config{Grid: Dim{X: (n + blockThreads - 1) / blockThreads}, Block: Dim{X: blockThreads}}
}

// Numbers of the driver's interface.
const (
	paramEnd           = 0
	paramBufferPointer = 1
	paramBufferSize    = 2

	launchCooperative = 2
	launchCluster     = 4
	launchSyncDomain  = 10
	remoteDomain      = 1
)

// extendedConfig is CUlaunchConfig with its attributes.
type extendedConfig struct {
	grid, block [3]uint32
	sharedBytes uint32
	_           uint32
	stream      uintptr
	attributes  uintptr
	count       uint32
	_           uint32
	list        [3]launchAttribute
}

// launchAttribute is CUlaunchAttribute.
type launchAttribute struct {
	id    uint32
	_     uint32
	value [16]uint32
}

// Launch puts a kernel on the stream. The parameters are copied before it returns. uses names all memory that the kernel
// touches: a Ptr among the parameters that lies in none of them is refused, and what is named stays allocated until the kernel
// is done. It allocates nothing.
func Launch[A any](s *Stream, k *Kernel[A], c Config, parameters *A, uses ...Use) error {
	if parameters == nil {
		return refuse("cuLaunchKernel", k.name+": no parameters", "give a struct, if an empty one")
	}
	if err := k.fits(&c); err != nil {
		return err
	}
	from := unsafe.Slice((*byte)(unsafe.Pointer(parameters)), k.size)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.launch(&k.kernel, &c, from, uses)
}

func (s *Stream) launch(k *kernel, c *Config, parameters []byte, uses []Use) error {
	if k.m.r.device.handle != s.d.handle {
		return refuse("cuLaunchKernel", fmt.Sprintf("kernel %s of device %d on a stream of device %d",
			k.name, k.m.r.device.info.Ordinal, s.d.info.Ordinal), "load the module on each device")
	}
	if err := k.covered(parameters, uses); err != nil {
		return err
	}
	module := [1]Use{{r: k.m.r}}
	if err := s.admit(k.name, module[:]); err != nil {
		return err
	}
	if err := s.admit(k.name, uses); err != nil {
		s.withdraw(module[:])
		return err
	}
	if err := s.issueLaunch(k, c, parameters); err != nil {
		s.withdraw(module[:])
		s.withdraw(uses)
		return err
	}
	s.commit(module[:])
	s.commit(uses)
	return nil
}

func (s *Stream) issueLaunch(k *kernel, c *Config, parameters []byte) error {
	f := s.frame
	f.size = uintptr(copy(f.params[:], parameters))
	a := &f.args
	extra := uintptr(unsafe.Pointer(&f.extra[0]))
	if c.Cluster.X == 0 && !c.Cooperative && !c.OwnDomain {
		*a = [12]uintptr{
			k.function, uintptr(c.Grid.X), uintptr(c.Grid.Y), uintptr(c.Grid.Z), uintptr(c.Block.X), uintptr(c.Block.Y), uintptr(c.Block.Z),
			uintptr(c.SharedBytes), s.handle, 0, extra,
		}
		return s.issue(cu.LaunchKernel, 11)
	}
	f.config = extendedConfig{sharedBytes: uint32(c.SharedBytes), stream: s.handle}
	for i := range 3 {
		f.config.grid[i], f.config.block[i] = uint32(c.Grid.at(i)), uint32(c.Block.at(i))
	}
	add := func(id uint32, value ...uint32) {
		at := &f.config.list[f.config.count]
		at.id = id
		copy(at.value[:], value)
		f.config.count++
	}
	if c.Cluster.X != 0 {
		add(launchCluster, uint32(c.Cluster.X), uint32(c.Cluster.Y), uint32(c.Cluster.Z))
	}
	if c.Cooperative {
		add(launchCooperative, 1)
	}
	if c.OwnDomain {
		add(launchSyncDomain, remoteDomain)
	}
	f.config.attributes = uintptr(unsafe.Pointer(&f.config.list[0]))
	a[0], a[1], a[2], a[3] = uintptr(unsafe.Pointer(&f.config)), k.function, 0, extra
	return s.issue(cu.LaunchKernelEx, 4)
}

// covered checks that every address among the parameters lies in memory that the launch names.
func (k *kernel) covered(parameters []byte, uses []Use) error {
next:
	for i := range k.pointers {
		p := &k.pointers[i]
		address := *(*uint64)(unsafe.Pointer(&parameters[p.offset]))
		if address == 0 {
			continue
		}
		for j := range uses {
			if r := uses[j].r; r != nil && address >= uses[j].low && address < uses[j].high {
				continue next
			}
		}
		return refuse(k.name, fmt.Sprintf("parameter %s points at memory that the launch does not name", p.field),
			"add In() or Out() of its buffer, so that it stays allocated and ordered")
	}
	return nil
}

// fits checks the shape against the limits of device and kernel, and fills in the directions left out.
func (k *kernel) fits(c *Config) error {
	d := k.m.r.device
	l := &d.info.Limits
	c.Grid, c.Block = c.Grid.full(), c.Block.full()
	say := func(text, hint string) error { return refuse("cuLaunchKernel", k.name+": "+text, hint) }
	for i, axis := range [3]string{"X", "Y", "Z"} {
		if g := c.Grid.at(i); g <= 0 || g > l.Grid[i] {
			return say(fmt.Sprintf("a grid of %d blocks in %s", g, axis), fmt.Sprintf("1 to %d; launch nothing for no items", l.Grid[i]))
		}
		if b := c.Block.at(i); b <= 0 || b > l.Block[i] {
			return say(fmt.Sprintf("a block of %d threads in %s", b, axis), fmt.Sprintf("1 to %d", l.Block[i]))
		}
	}
	if n := c.Block.count(); n > l.ThreadsPerBlock {
		return say(fmt.Sprintf("a block of %d threads", n), fmt.Sprintf("at most %d on this device", l.ThreadsPerBlock))
	}
	if n := c.Block.count(); n > k.threads {
		return say(fmt.Sprintf("a block of %d threads of %d registers", n, k.registers), fmt.Sprintf("at most %d for this kernel", k.threads))
	}
	if c.SharedBytes < 0 || c.SharedBytes > k.dynamic {
		if most := l.SharedBytesByOption - k.shared; c.SharedBytes < 0 || c.SharedBytes > most {
			return say(fmt.Sprintf("%d bytes of dynamic shared memory", c.SharedBytes), fmt.Sprintf("0 to %d on this device", most))
		}
		return say(fmt.Sprintf("%d bytes of dynamic shared memory", c.SharedBytes), fmt.Sprintf("call AllowShared first; without it %d", k.dynamic))
	}
	return k.fitsTogether(c)
}

func (k *kernel) fitsTogether(c *Config) error {
	d := k.m.r.device
	say := func(text, hint string) error { return refuse("cuLaunchKernelEx", k.name+": "+text, hint) }
	if c.Cluster != (Dim{}) {
		c.Cluster = c.Cluster.full()
		if !d.info.Clusters {
			return unsupported("cuLaunchKernelEx", "the device has no clusters")
		}
		for i := range 3 {
			if n := c.Cluster.at(i); n <= 0 || c.Grid.at(i)%n != 0 {
				return say(fmt.Sprintf("clusters of %d blocks in a grid of %d", n, c.Grid.at(i)), "the grid is a multiple of the cluster in each direction")
			}
		}
	}
	c.OwnDomain = c.OwnDomain && d.info.Major >= 9 // older devices have one
	if !c.Cooperative {
		return nil
	}
	if !d.info.Cooperative {
		return unsupported("cuLaunchKernelEx", "the device has no cooperative launch")
	}
	most, err := k.Resident(c.Block.count(), c.SharedBytes)
	if err != nil {
		return err
	}
	if n := c.Grid.count(); n > most {
		return say(fmt.Sprintf("%d blocks that wait for each other", n), fmt.Sprintf("at most %d of this size run at once", most))
	}
	return nil
}

// AllowShared lets launches of the kernel ask for up to this much dynamic shared memory a block.
func (k *kernel) AllowShared(bytes int) error {
	d := k.m.r.device
	if most := d.info.Limits.SharedBytesByOption - k.shared; bytes < 0 || bytes > most {
		return refuse("cuFuncSetAttribute", fmt.Sprintf("%s: %d bytes of dynamic shared memory", k.name, bytes), fmt.Sprintf("0 to %d on this device", most))
	}
	if err := d.call(cu.FuncSetAttribute, k.function, funcDynamicShared, uintptr(bytes)); err != nil {
		return err
	}
	k.dynamic = max(k.dynamic, bytes)
	return nil
}
