// What the skeleton kernels share: a lane's memory, system-scope accesses of 16 bytes, and the ranking of ticks.
#pragma once
#include "base.cuh"

struct __attribute__((aligned(16))) Quarter {
  u32 lo, hi, aux, stamp;
};
static_assert(sizeof(Quarter) == 16, "as program.Quarter");

// A lane as the host describes it: 56 bytes, mirrored by cuda.Lane.
struct Lane {
  const Quarter *in;   // quarter q of slot n at q * ring + (n & (ring - 1))
  Quarter *out;        // the same for rows
  u64 *state;          // words words an instrument
  u32 ring;            // slots, a power of two
  u32 slot_quarters;   // at most SLOT_QUARTERS_MAX
  u32 words;           // state words an instrument
  u32 from, count;     // batch kernel: slots [from, from + count)
  u32 base;            // resident kernel: the number of the first slot
  u32 shards;          // batch kernel: blocks a lane, each with its instruments
  u32 in_ring;         // batch kernel: as ring, for slots; there ring is for rows alone
};
static_assert(sizeof(Lane) == 56, "as cuda.Lane");

enum { SLOT_QUARTERS_MAX = 21, BASE_QUARTERS = 5 };
enum { COMMAND_STOP = 1, COMMAND_PING = 2, COMMAND_BARRIER = 3, COMMAND_SET = 4 };

// Hardware barriers of a block. 5 is the program's own, of the warps that run it.
enum { BARRIER_FULL = 1, BARRIER_EMPTY = 3, BARRIER_PROGRAM = 5 };

extern "C" __device__ void program(u64 slot, u64 state, u64 row, u64 stride, u64 exchange, u32 stamp, u32 rank, u32 rounds, u32 mine,
                                   u32 warp);

extern __shared__ u64 exchange[];  // 256 bytes a value that warps of a program hand over; the host says how many

__device__ static inline u32 lane_id() { return __nvvm_read_ptx_sreg_tid_x() & 31; }
__device__ static inline u32 warp_id() { return __nvvm_read_ptx_sreg_tid_x() >> 5; }
__device__ static inline u32 threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
__device__ static inline u32 block_id() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ static inline void meet(u32 barrier, u32 n) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(n) : "memory"); }
__device__ static inline void arrive(u32 barrier, u32 n) { asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(n) : "memory"); }

__device__ static inline Quarter load_sys(const Quarter *p) {
  Quarter r;
  asm volatile(
      "{.reg .b128 v; .reg .b64 lo,hi; ld.relaxed.sys.global.b128 v,[%4]; mov.b128 {lo,hi},v; mov.b64 {%0,%1},lo; mov.b64 {%2,%3},hi;}"
      : "=r"(r.lo), "=r"(r.hi), "=r"(r.aux), "=r"(r.stamp)
      : "l"(p)
      : "memory");
  return r;
}

__device__ static inline void store_sys(Quarter *p, u64 value, u32 aux, u32 stamp) {
  u64 high = (u64)stamp << 32 | aux;
  asm volatile("{.reg .b128 v; mov.b128 v,{%1,%2}; st.relaxed.sys.global.b128 [%0],v;}" ::"l"(p), "l"(value), "l"(high) : "memory");
}

__device__ static inline u32 ballot(bool p) {
  u32 r;
  asm volatile("{.reg .pred q; setp.ne.u32 q,%1,0; vote.sync.ballot.b32 %0,q,0xffffffff;}" : "=r"(r) : "r"((u32)p));
  return r;
}
__device__ static inline u32 match_any(u32 v) {
  u32 r;
  asm volatile("match.any.sync.b32 %0,%1,0xffffffff;" : "=r"(r) : "r"(v));
  return r;
}
__device__ static inline u32 redux_max(u32 v) {
  u32 r;
  asm volatile("redux.sync.max.u32 %0,%1,0xffffffff;" : "=r"(r) : "r"(v));
  return r;
}
__device__ static inline void sync_warp() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
__device__ static inline void fence_sys() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

__device__ static inline u64 value_of(Quarter q) { return (u64)q.hi << 32 | q.lo; }

// What the warps of a program need to know of up to 32 ticks; their quarters are beside it.
struct Work {
  u32 base, n;      // slot of the first, how many
  u32 rounds;       // the largest rank
  u32 command;      // 0: ticks
  u32 rank[32];     // how many earlier ones are of the same instrument
};

// rank_ticks fills in ranks; a warp calls it together, each thread with its tick's instrument.
__device__ static inline void rank_ticks(Work &work, u32 instrument, u32 l, u32 n) {
  u32 rank = 0, rounds = 0;
  if (n > 1) {
    u32 same = match_any(l < n ? instrument : 0x80000000u | l);
    rank = l < n ? __builtin_popcount(same & ((1u << l) - 1)) : 0;
    rounds = redux_max(rank);
  }
  work.rank[l] = rank;
  if (l == 0) work.n = n, work.rounds = rounds;
}

// run_program runs the program over ticks whose quarters are in shared memory; slot is the thread's.
__device__ static inline void run_program(const Lane &lane, Quarter (*slots)[32], const Work &work, u32 l, u32 warp, u32 slot) {
  bool mine = l < work.n;
  u32 instrument = mine ? slots[0][l].aux : 0;
  program((u64)&slots[0][l], (u64)(lane.state + (u64)instrument * lane.words), (u64)(lane.out + (slot & (lane.ring - 1))),
          (u64)lane.ring * sizeof(Quarter), (u64)&exchange[l], slot + 1, work.rank[l], work.rounds, mine, warp);
}
