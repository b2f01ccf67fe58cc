//go:build amd64 || arm64

package gpu

import "unsafe"

// The driver's structs, as cuda.h lays them out on 64-bit systems.
const (
	_ = -(unsafe.Offsetof(extendedConfig{}.stream) ^ 32)
	_ = -(unsafe.Offsetof(extendedConfig{}.attributes) ^ 40)
	_ = -(unsafe.Offsetof(extendedConfig{}.count) ^ 48)
	_ = -(unsafe.Offsetof(extendedConfig{}.list) ^ 56)
	_ = -(unsafe.Sizeof(launchAttribute{}) ^ 72)
	_ = -(unsafe.Offsetof(launchAttribute{}.value) ^ 8)
	_ = -(unsafe.Offsetof(poolProperties{}.locationType) ^ 8)
	_ = -(unsafe.Offsetof(poolProperties{}.security) ^ 16)
	_ = -(unsafe.Offsetof(poolProperties{}.maxSize) ^ 24)
)
