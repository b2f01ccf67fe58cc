//go:build !nogpu && linux && (amd64 || arm64)

package live

import (
	"testing"

	"github.com/sigengine/sigengine/gpu"
	"github.com/sigengine/sigengine/gpu/cufake"
	"github.com/sigengine/sigengine/internal/engine"
	"github.com/sigengine/sigengine/internal/natsserver"
	"github.com/sigengine/sigengine/internal/testnats"
)

// TestFailedStartOnGPU: a start that fails after the engine was made leaves nothing on the device.
func TestFailedStartOnGPU(t *testing.T) {
	fake := cufake.New(cufake.Options{MemoryBytes: 1 << 30})
	defer fake.Close()
	fake.Register("lane", func(*cufake.Launch) {})
	driver, err := gpu.NewDriver(fake.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	device, err := driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	c := conf(t, "json", "")
	c.Feeds[0].Codec = "morse"
	o := options(c, testnats.Start(t, natsserver.Config{}))
	o.Place = func(shape *engine.Config) error {
		shape.GPU = &engine.GPU{Devices: []*gpu.Device{device}, Follow: true}
		return nil
	}
	if l, err := Start(o); err == nil {
		stop(t, l)
		t.Fatal("started with a codec that there is not")
	}
	if err := device.Close(); err != nil {
		t.Error(err)
	}
	for _, leak := range fake.Leaks() {
		t.Error("left behind: ", leak)
	}
}
