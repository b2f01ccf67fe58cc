// The floor of host -> GPU -> host: a kernel that answers words in pinned memory and computes nothing.
//   floor SECONDS     one 16-byte word; then 32 words at once, a thread each
#include <cuda_runtime.h>
#include <immintrin.h>
#include "common.h"

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t e = (call);                                                               \
    if (e != cudaSuccess) {                                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));          \
      _exit(1);                                                                           \
    }                                                                                     \
  } while (0)

__device__ static inline uint4 load(const uint4 *p) {
  uint4 r;
  asm volatile("ld.volatile.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p));
  return r;
}
__device__ static inline void store(uint4 *p, uint4 r) {
  asm volatile("st.volatile.v4.u32 [%0],{%1,%2,%3,%4};" ::"l"(p), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w) : "memory");
}

static const uint32_t STOP = 0xffffffffu;

// answer: thread i answers word i with the same stamp, until told to stop.
__global__ void answer(const uint4 *in, uint4 *out, int words) {
  int i = threadIdx.x;
  if (i >= words) return;
  for (uint32_t want = 1;; want++) {
    uint4 v;
    do {
      v = load(in + i);
    } while (v.w != want && v.w != STOP);
    if (v.w == STOP) return;
    v.x += 1;
    store(out + i, v);
  }
}

static void put(uint4 *p, uint32_t stamp) { _mm_store_si128((__m128i *)p, _mm_set_epi32((int)stamp, 0, 0, (int)stamp)); }

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: floor SECONDS\n");
    return 2;
  }
  double seconds = seconds_of(argv[1]);
  own_core(3);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  uint4 *in, *out;
  CHECK(cudaHostAlloc((void **)&in, 4096, cudaHostAllocMapped));
  CHECK(cudaHostAlloc((void **)&out, 4096, cudaHostAllocMapped));
  for (int words : {1, 32}) {
    memset(in, 0, 4096);
    memset(out, 0, 4096);
    answer<<<1, 32, 0, stream>>>(in, out, words);
    CHECK(cudaGetLastError());
    volatile uint32_t *answers = (volatile uint32_t *)out;
    Timer timer(seconds);
    for (uint32_t stamp = 1; timer.more(); stamp++) {
      timer.begin();
      for (int i = 0; i < words; i++) put(in + i, stamp);
      for (int i = 0; i < words; i++)
        while (answers[i * 4 + 3] != stamp) {
        }
      timer.done();
    }
    for (int i = 0; i < words; i++) put(in + i, STOP);
    CHECK(cudaStreamSynchronize(stream));
    timer.report("floor", words);
  }
  report_memory();
  _exit(0);
}
