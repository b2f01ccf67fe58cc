//go:build !nogpu && linux && (amd64 || arm64)

package gpu_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
)

// A kernel of a module, run over pinned memory's contents and back. Here the driver is a fake; gpu.Open(0) opens the
// installed one.
func Example() {
	fake := cufake.New(cufake.Options{})
	defer fake.Close()
	kernels(fake)
	driver, err := gpu.NewDriver(fake.Lookup)
	if err != nil {
		fmt.Println(err)
		return
	}
	device, err := driver.Open(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := double(context.Background(), device, 100)
	fmt.Println(sum, errors.Join(err, device.Close()))
	// Output: 300 <nil>
}

// double computes 2x + y for ones and ones and adds it up.
func double(ctx context.Context, d *gpu.Device, n int) (sum float32, err error) {
	closing := func(c interface{ Close() error }) { err = errors.Join(err, c.Close()) }
	module, err := d.LoadModule(suitePTX)
	if err != nil {
		return 0, err
	}
	defer closing(module)
	kernel, err := gpu.LoadKernel[axpyParameters](module, "axpy") // the struct is checked here
	if err != nil {
		return 0, err
	}
	stream, err := d.NewStream(gpu.StreamOptions{Name: "example"})
	if err != nil {
		return 0, err
	}
	defer closing(stream)
	host, err := gpu.AllocHost[float32](d, n, gpu.Staging)
	if err != nil {
		return 0, err
	}
	defer closing(host)
	x, err := gpu.Alloc[float32](d, n)
	if err != nil {
		return 0, err
	}
	defer closing(x)
	values, err := host.Slice()
	if err != nil {
		return 0, err
	}
	for i := range values {
		values[i] = 1
	}
	if err := errors.Join(
		gpu.Copy(stream, x.All(), host.All()),
		gpu.Launch(stream, kernel, gpu.Linear(n, 128), &axpyParameters{uint32(n), 2, x.Ptr(), host.Ptr()}, x.In(), host.Out()),
		stream.Sync(ctx),
	); err != nil {
		return 0, err
	}
	if values, err = host.Slice(); err != nil { // before Sync this would be ErrInFlight
		return 0, err
	}
	for _, v := range values {
		sum += v
	}
	return sum, nil
}
