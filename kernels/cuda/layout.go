package cuda

import "unsafe"

// The layout is shared with warp.cuh, which asserts it too.
var (
	_ [56]struct{} = [unsafe.Sizeof(Lane{})]struct{}{}
	_ [24]struct{} = [unsafe.Offsetof(Lane{}.Ring)]struct{}{}
	_ [36]struct{} = [unsafe.Offsetof(Lane{}.From)]struct{}{}
)
