// Just enough of CUDA's vocabulary for clang to compile a kernel with no CUDA toolkit on the machine, and for a host
// compiler to compile what has no use for a GPU (windows.cu), so that tests can run it.
#pragma once
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#if defined(__CUDA__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define DEVICE __device__
#else
#define DEVICE
#endif

static const u64 CANONICAL_NAN = 0x7ff8000000000000ull;
static const u64 SIGN = 1ull << 63;
static const u64 EXPONENT = 0x7ff0000000000000ull;
static const u64 TRUE_MASK = ~0ull;

DEVICE static inline double f64(u64 bits) { return __builtin_bit_cast(double, bits); }
DEVICE static inline u64 bits64(double v) { return __builtin_bit_cast(u64, v); }
DEVICE static inline u64 canonical_bits(u64 bits) { return (bits & EXPONENT) == EXPONENT ? CANONICAL_NAN : bits; }
DEVICE static inline u64 canonical(double v) { return canonical_bits(bits64(v)); }
DEVICE static inline u64 mask_of(bool b) { return b ? TRUE_MASK : 0; }
DEVICE static inline void clear(u64 *words, u64 n) {
  for (u64 i = 0; i < n; i++) words[i] = 0;
}
