// Package mailbox writes and reads quarters, the 16-byte pieces in which the host and a resident kernel exchange slots and
// rows through memory that both see.
//
//	byte   0        8     12     16
//	       ├────────┼──────┼──────┤
//	       │ value  │ aux  │ stamp│      f64 bits · u32 · u32, little-endian, aligned to 16
//
// A quarter is written indivisibly: a reader sees all of the old one or all of the new one, so a stamp vouches for the value
// beside it. Go has no such store, so a few lines of assembly do it: aligned 16-byte stores, which processors with AVX do not
// divide. Where there is no AVX, and on other processors, Supported is false and the store is an ordinary one that must not be
// used between host and device; tests of other code may.
//
// PutApart writes the quarters of one slot, which lie a ring apart. The stores of one call become visible in their order.
// Reading needs no assembly: the half with the stamp is loaded first and atomically, then the value; the writer does not
// come back to a quarter before its reader has released it.
//
// The race detector does not see the stores. Memory must be 16-byte aligned, which pinned memory is: an unaligned
// address faults.
package mailbox
