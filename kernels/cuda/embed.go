package cuda

import "embed"

// Compiled PTX, committed so that a build needs no compiler for it. A test compiles the sources again and compares.
//
//go:embed ptx/*.ptx
var compiled embed.FS

// Module names a piece of compiled PTX.
type Module string

// The modules.
const (
	Resident Module = "lane"    // kernel lane: polls slots in pinned memory
	Batch    Module = "batch"   // kernel batch: slots in device memory
	Windows  Module = "windows" // device functions that programs call
)

// PTX returns a module's text.
func (m Module) PTX() string {
	text, err := compiled.ReadFile("ptx/" + string(m) + ".ptx")
	if err != nil {
		panic("cuda: no module " + string(m)) // the constants name what is embedded
	}
	return string(text)
}

// ProgramName is what the skeletons call the device function.
const ProgramName = "program"

// Commands of the resident kernel: the Aux of quarter 3 of a slot of kind 0.
const (
	CommandStop    = 1
	CommandPing    = 2
	CommandBarrier = 3
	CommandSet     = 4 // state word F1 (its bits) of the slot's instrument becomes F0
)

// SlotQuartersMax is the most quarters of a slot that the skeletons can take.
const SlotQuartersMax = 21

// BatchSlotsMax is the most slots of a batch that the batch kernel can list.
const BatchSlotsMax = 4096

// Lane describes a lane's memory to the kernels: struct Lane of warp.cuh.
type Lane struct {
	In, Out, State uint64 // device addresses
	Ring           uint32 // slots, a power of two
	SlotQuarters   uint32
	Words          uint32 // state words an instrument
	From, Count    uint32 // batch kernel: slots [From, From+Count)
	Base           uint32 // resident kernel: the number of the first slot
	Shards         uint32 // batch kernel: blocks a lane; the same for all lanes of a launch
	InRing         uint32 // batch kernel: as Ring, for slots; there Ring is for rows alone
}
