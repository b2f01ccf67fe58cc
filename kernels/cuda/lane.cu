// The resident lane: one warp a lane stays on the GPU, polls the next 32 slots in pinned host memory, and runs the
// program over those that are whole. A slot is whole when the stamps of all its quarters are its number plus one; every
// quarter is read and written in one piece, so nothing torn is ever taken.
//
// Commands come in band, as slots of kind 0 whose third quarter's aux names them; each is answered in quarter 0 of its row:
//   stop     the kernel ends                     ping     nothing
//   barrier  everything before it is visible     set      state word F1 (bits) of the slot's instrument becomes F0
#include "warp.cuh"

extern "C" __global__ void lane(const Lane *lanes) {
  __shared__ Quarter slots[SLOT_QUARTERS_MAX][32];
  const Lane lane = lanes[block_id()];
  const u32 l = lane_id(), mask = lane.ring - 1;
  u32 base = lane.base;
  for (;;) {
    u32 whole, n;
    do {
      u32 slot = base + l, want = slot + 1;
      const Quarter *in = lane.in + (slot & mask);
      Quarter q[BASE_QUARTERS];
#pragma unroll
      for (u32 i = 0; i < BASE_QUARTERS; i++) q[i] = load_sys(in + (u64)i * lane.ring);
      bool ok = true;
#pragma unroll
      for (u32 i = 0; i < BASE_QUARTERS; i++) {
        ok = ok && q[i].stamp == want;
        slots[i][l] = q[i];
      }
      for (u32 i = BASE_QUARTERS; i < lane.slot_quarters; i++) {
        Quarter more = load_sys(in + (u64)i * lane.ring);
        ok = ok && more.stamp == want;
        slots[i][l] = more;
      }
      whole = ballot(ok);
      n = whole == 0xffffffffu ? 32 : __builtin_ctz(~whole);
    } while (n == 0);
    u32 commands = ballot(l < n && (slots[1][l].aux & 0xff) == 0 && slots[3][l].aux != 0);
    if (commands) {
      u32 first = __builtin_ctz(commands);
      if (first > 0) {
        n = first;
      } else {
        u32 command = slots[3][0].aux;
        sync_warp();
        if (l == 0 && command == COMMAND_SET)
          lane.state[(u64)slots[0][0].aux * lane.words + value_of(slots[1][0])] = value_of(slots[0][0]);
        fence_sys();
        sync_warp();
        if (l == 0) store_sys(lane.out + (base & mask), command, 0, base + 1);
        fence_sys();
        if (command == COMMAND_STOP) return;
        base += 1;
        continue;
      }
    }
    run_batch(lane, slots, l, base, n);
    base += n;
  }
}
