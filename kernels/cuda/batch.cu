// A batch of each lane, from device memory: one warp a lane takes its slots 32 at a time. For stream dispatch, where the
// host copies slots in and rows out.
#include "warp.cuh"

extern "C" __global__ void batch(const Lane *lanes) {
  __shared__ Quarter slots[SLOT_QUARTERS_MAX][32];
  const Lane lane = lanes[block_id()];
  const u32 l = lane_id(), mask = lane.ring - 1;
  for (u32 done = 0; done < lane.count; done += 32) {
    u32 base = lane.from + done, n = lane.count - done < 32 ? lane.count - done : 32;
    if (l < n)
      for (u32 i = 0; i < lane.slot_quarters; i++) slots[i][l] = lane.in[(u64)i * lane.ring + ((base + l) & mask)];
    run_batch(lane, slots, l, base, n);
  }
}
