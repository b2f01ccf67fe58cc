// Half of a kernel: what `step` does another part defines.
typedef unsigned u32;
extern "C" __attribute__((device)) u32 step(u32 x);
extern "C" __attribute__((global)) void apply(u32 n, u32 *to) {
  u32 i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n) to[i] = step(to[i]);
}
