// Kernels of the tests. Compiled with
//   clang++-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -O3 -ffp-contract=off -S
#define GLOBAL extern "C" __attribute__((global))
typedef unsigned u32;
typedef unsigned long long u64;
static __attribute__((device)) u32 index() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
extern "C" __attribute__((device)) u32 table[4] = {0, 0, 0, 0};
GLOBAL void axpy(u32 n, float a, const float *x, float *y) {
  u32 i = index();
  if (i < n) y[i] = a * x[i] + y[i];
}
GLOBAL void lookup(u32 n, u32 *to) {
  u32 i = index();
  if (i < n) to[i] = table[i & 3];
}
struct Pair { u32 a; u32 b; };
GLOBAL void pair(Pair p, u64 *to) { if (index() == 0) *to = (u64)p.a << 32 | p.b; }
GLOBAL void resident(volatile u32 *mailbox) { while (!mailbox[0]) {} mailbox[1] = 7; }
GLOBAL void crash(u32 n) { if (n) *(volatile u32 *)16 = n; }
