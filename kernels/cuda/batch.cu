// A batch of each lane, for stream dispatch: slots from device memory, where the host copied them, rows to wherever the host
// wants them. A lane is dealt out over blocks by instrument; each block first lists its slots, then takes them 32 at a time,
// in order.
#include "warp.cuh"

enum { COUNT_MAX = 4096, WARPS_MAX = 8 };

__shared__ Quarter slots[SLOT_QUARTERS_MAX][32];
__shared__ Work work;
__shared__ unsigned short list[COUNT_MAX];
__shared__ u32 found[WARPS_MAX];

// enlist lists the slots of this shard, in order, and returns how many there are.
__device__ static inline u32 enlist(const Lane &lane, u32 shard, u32 l, u32 warp, u32 everyone) {
  const u32 mask = lane.in_ring - 1, tid = warp * 32 + l;
  u32 total = 0;
  for (u32 first = 0; first < lane.count; first += everyone) {
    u32 i = first + tid;
    bool mine = i < lane.count && lane.in[(lane.from + i) & mask].aux % lane.shards == shard;
    u32 those = ballot(mine), before = 0, all = 0;
    if (l == 0) found[warp] = __builtin_popcount(those);
    meet(0, everyone);
    for (u32 w = 0; w < everyone / 32; w++) {
      before += w < warp ? found[w] : 0;
      all += found[w];
    }
    if (mine) list[total + before + __builtin_popcount(those & ((1u << l) - 1))] = (unsigned short)i;
    total += all;
    meet(0, everyone);
  }
  return total;
}

extern "C" __global__ __attribute__((launch_bounds(256))) void batch(const Lane *lanes) {
  const u32 l = lane_id(), warp = warp_id(), everyone = threads(), warps = everyone / 32;
  const u32 shards = lanes[0].shards;  // the same for all lanes of a launch
  const Lane lane = lanes[block_id() / shards];
  const u32 total = enlist(lane, block_id() % shards, l, warp, everyone);
  for (u32 next = 0; next < total; next += 32) {
    const u32 n = total - next < 32 ? total - next : 32;
    const u32 slot = lane.from + (l < n ? list[next + l] : 0), at = slot & (lane.in_ring - 1);
    if (l < n)
      for (u32 i = warp; i < lane.slot_quarters; i += warps) slots[i][l] = lane.in[(u64)i * lane.in_ring + at];
    if (warp == 0) rank_ticks(work, l < n ? slots[0][l].aux : 0, l, n);
    meet(0, everyone);
    run_program(lane, slots, work, l, warp, slot);
    meet(0, everyone);
  }
}
