// The windows of kernels/program, operation for operation: same state words, same order, so the same bits. Each function
// advances one window of one instrument and writes its outputs; docs/program.md has the algorithms and rulers.
//
//   void sg_<aggregate>_<kind>(u64 *state, u64 size, u64 sub, u64 time, u32 flags, u64 x, u64 y, u64 *outputs)
//
// size is N or the step in nanoseconds; flags: 1 push, 2 reset. Compiled with -ffp-contract=off: nothing is fused.
// What most ticks do is straight-line: the words of the head are read at once, and no loop runs. Outputs are only written.
// Loops over a ring read several entries at once, for each takes long to come, and what is past the end is read but not used.
#include "base.cuh"

#define WINDOW(name)                                                                                                    \
  extern "C" DEVICE __attribute__((noinline)) void name(Word *st, u64 size, u64 sub, u64 time, u32 flags, u64 x, u64 y, \
                                                        u64 *out)
#define PUSH (flags & 1)
#define RESET (flags & 2)

enum { SUM_HEAD = 3, MOM_HEAD = 5, LAG_HEAD = 2, EXT_HEAD = 4, MOM2_HEAD = 9, WGT_HEAD = 4, RANK_HEAD = 3, ABSDEV_HEAD = 4, DUR_HEAD = 3 };
enum { MOM2_RING = 5, MOM2_ENTRY = 8 };

enum { CHUNK = 16, FLIP = 8 };  // entries read at once

#include "samples.cuh"
#include "durations.cuh"

#if !defined(__CUDA__)
// For tests: a reciprocal may be off by some units, as the device's is.
extern "C" double sg_quotient(double a, double n, double reciprocal) { return quotient(a, n, reciprocal); }
#endif
