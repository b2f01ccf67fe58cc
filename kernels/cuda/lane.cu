// The resident lane: one block a lane stays on the GPU. Its last warp polls the next 32 slots in pinned host memory and hands
// those that are whole to the other warps, which run the program over them together while it polls on. A slot is whole when
// the stamps of all its quarters are its number plus one; every quarter is read and written in one piece, so nothing torn is
// ever taken.
//
// Commands come in band, as slots of kind 0 whose third quarter's aux names them; each is answered in quarter 0 of its row:
//   stop     the kernel ends                     ping     nothing
//   barrier  everything before it is visible     set      state word F1 (bits) of the slot's instrument becomes F0
#include "warp.cuh"

// Two of each: the warps run one while the next is fetched. done counts the batches that the first warp has finished.
__shared__ Quarter slots[2][SLOT_QUARTERS_MAX][32];
__shared__ Work works[2];
__shared__ volatile u32 done;

// A poll of few slots comes back sooner and leaves the bus to others; after many came at once, many are asked for.
enum { FEW = 8, MANY = 32 };

// Two polls are under way at any time, half a trip over the bus apart: a slot is seen half a trip sooner on the average.
enum { APART_CLOCKS = 900 };

// Poll is one look at the slots from base on: quarters on their way to registers.
struct Poll {
  Quarter q[BASE_QUARTERS];
  u32 base;
  bool asked;
};

struct Poller {
  u32 base, width;
  u64 last;  // when the last poll left
};

__device__ static inline u64 clock_now() {
  u64 now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ static inline void ask(const Lane &lane, Poller &self, Poll &p, u32 l) {
  while (clock_now() - self.last < APART_CLOCKS) {
  }
  self.last = clock_now();
  p.base = self.base, p.asked = l < self.width;
  const Quarter *in = lane.in + ((p.base + l) & (lane.ring - 1));
  if (p.asked) {
#pragma unroll
    for (u32 i = 0; i < BASE_QUARTERS; i++) p.q[i] = load_sys(in + (u64)i * lane.ring);
  }
}

__device__ static inline u32 in_a_row(bool ok) {
  u32 whole = ballot(ok);
  return whole == 0xffffffffu ? 32 : __builtin_ctz(~whole);
}

// answered waits for a poll and returns how many slots in a row from the poller's base on are whole as far as it saw.
__device__ static inline u32 answered(const Poller &self, const Poll &p, u32 l) {
  if (p.base != self.base) return 0;  // those slots have been handed over since
  bool ok = p.asked;
#pragma unroll
  for (u32 i = 0; i < BASE_QUARTERS; i++) ok = ok && p.q[i].stamp == p.base + l + 1;
  return in_a_row(ok);
}

// take copies n slots to where the other warps read them, with the quarters that a poll does not bring, and returns how
// many are whole with those.
__device__ static inline u32 take(const Lane &lane, const Poll &p, Quarter (*to)[32], u32 l, u32 n) {
  const Quarter *in = lane.in + ((p.base + l) & (lane.ring - 1));
  bool ok = l < n;
  if (ok) {
#pragma unroll
    for (u32 i = 0; i < BASE_QUARTERS; i++) to[i][l] = p.q[i];
  }
  for (u32 i = BASE_QUARTERS; i < lane.slot_quarters; i++) {
    if (!ok) continue;
    Quarter more = load_sys(in + (u64)i * lane.ring);
    ok = more.stamp == p.base + l + 1;
    to[i][l] = more;
  }
  return in_a_row(ok);
}

// publish hands n slots to the other warps, or the command that is the first, and returns the command or 0.
__device__ static inline u32 publish(Quarter (*to)[32], Work &work, Poller &self, u32 l, u32 n) {
  u32 commands = ballot(l < n && (to[1][l].aux & 0xff) == 0 && to[3][l].aux != 0), command = 0;
  if (commands) {
    n = __builtin_ctz(commands);
    if (n == 0) {
      sync_warp();
      command = to[3][0].aux, n = 1;
    }
  }
  rank_ticks(work, to[0][l].aux, l, n);
  if (l == 0) work.base = self.base, work.command = command;
  self.base += n;
  self.width = n < FEW ? FEW : MANY;
  return command;
}

// poll is the last warp's work.
__device__ static inline void poll(const Lane &lane, u32 l, u32 everyone) {
  Poller self = {lane.base, FEW, 0};
  Poll polls[2];
  ask(lane, self, polls[0], l);
  ask(lane, self, polls[1], l);
  u32 batch = 0, n = 0;
  bool claimed = false;  // the buffer of this batch
  for (;;) {
#pragma unroll
    for (u32 k = 0; k < 2; k++) {
      const u32 buffer = batch & 1;
      u32 more = answered(self, polls[k], l);
      if (more > n) {
        if (!claimed && batch >= 2) meet(BARRIER_EMPTY + buffer, everyone);
        claimed = true;
        more = take(lane, polls[k], slots[buffer], l, more);
        n = more > n ? more : n;
        self.width = MANY;
      }
      if (n > 0 && (n == MANY || done == batch)) {  // while the others are busy, more may come
        u32 command = publish(slots[buffer], works[buffer], self, l, n);
        arrive(BARRIER_FULL + buffer, everyone);
        if (command == COMMAND_STOP) return;
        batch++, n = 0, claimed = false;
      }
      ask(lane, self, polls[k], l);
    }
  }
}

// obey does a command and answers it. All ticks before it have been run.
__device__ static inline void obey(const Lane &lane, Quarter (*from)[32], const Work &work, u32 l) {
  if (l == 0 && work.command == COMMAND_SET)
    lane.state[(u64)from[0][0].aux * lane.words + value_of(from[1][0])] = value_of(from[0][0]);
  fence_sys();
  sync_warp();
  if (l == 0) store_sys(lane.out + (work.base & (lane.ring - 1)), work.command, 0, work.base + 1);
  fence_sys();
}

extern "C" __global__ __attribute__((launch_bounds(288, 1))) void lane(const Lane *lanes) {
  const Lane lane = lanes[block_id()];
  const u32 l = lane_id(), warp = warp_id(), everyone = threads();
  if (warp == 0 && l == 0) done = 0;
  meet(0, everyone);
  if (warp == everyone / 32 - 1) {
    poll(lane, l, everyone);
    return;
  }
  for (u32 batch = 0;; batch++) {
    const u32 buffer = batch & 1;
    meet(BARRIER_FULL + buffer, everyone);
    const Work &work = works[buffer];
    if (work.command == 0) {
      run_program(lane, slots[buffer], work, l, warp, work.base + l);
    } else {
      if (warp == 0) obey(lane, slots[buffer], work, l);
      if (work.command == COMMAND_STOP) return;
    }
    if (warp == 0 && l == 0) done = batch + 1;
    arrive(BARRIER_EMPTY + buffer, everyone);
  }
}
