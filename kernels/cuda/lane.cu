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

// fetch polls width slots from base on until the first is whole, and returns how many in a row are.
__device__ static inline u32 fetch(const Lane &lane, Quarter (*to)[32], u32 base, u32 l, u32 width) {
  const u32 slot = base + l, want = slot + 1;
  const bool asked = l < width;
  const Quarter *in = lane.in + (slot & (lane.ring - 1));
  u32 whole;
  do {
    bool ok = asked;
    if (asked) {
      Quarter q[BASE_QUARTERS];
#pragma unroll
      for (u32 i = 0; i < BASE_QUARTERS; i++) q[i] = load_sys(in + (u64)i * lane.ring);
#pragma unroll
      for (u32 i = 0; i < BASE_QUARTERS; i++) {
        ok = ok && q[i].stamp == want;
        to[i][l] = q[i];
      }
      for (u32 i = BASE_QUARTERS; i < lane.slot_quarters; i++) {
        Quarter more = load_sys(in + (u64)i * lane.ring);
        ok = ok && more.stamp == want;
        to[i][l] = more;
      }
    }
    sync_warp();
    whole = ballot(ok);
  } while (!(whole & 1));
  return whole == 0xffffffffu ? 32 : __builtin_ctz(~whole);
}

// poll is the last warp's work.
__device__ static inline void poll(const Lane &lane, u32 l, u32 everyone) {
  u32 base = lane.base, width = FEW;
  for (u32 batch = 0;; batch++) {
    const u32 buffer = batch & 1;
    Quarter(*to)[32] = slots[buffer];
    Work &work = works[buffer];
    if (batch >= 2) meet(BARRIER_EMPTY + buffer, everyone);
    u32 n = fetch(lane, to, base, l, width);
    while (n < MANY && done != batch) n = fetch(lane, to, base, l, MANY);  // the others are busy: more may come
    width = n < FEW ? FEW : MANY;
    u32 commands = ballot(l < n && (to[1][l].aux & 0xff) == 0 && to[3][l].aux != 0), command = 0;
    if (commands) {
      n = __builtin_ctz(commands);
      if (n == 0) {
        sync_warp();
        command = to[3][0].aux, n = 1;
      }
    }
    rank_ticks(work, to[0][l].aux, l, n);
    if (l == 0) work.base = base, work.command = command;
    arrive(BARRIER_FULL + buffer, everyone);
    if (command == COMMAND_STOP) return;
    base += n;
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

extern "C" __global__ __attribute__((launch_bounds(256, 1))) void lane(const Lane *lanes) {
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
