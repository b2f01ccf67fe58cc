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

// State words lie in global memory.
#if defined(__CUDA__)
typedef __attribute__((address_space(1))) u64 Word;
#else
typedef u64 Word;
#endif

DEVICE static inline void clear(Word *words, u64 n) {
#pragma clang loop unroll(disable) vectorize(disable)
  for (u64 i = 0; i < n; i++) words[i] = 0;
}

// A fused multiply-add in the one place where it belongs: the exact remainder of a division. A test compiles with PLAIN
// defined and finds no other.
DEVICE static inline double exact_fma(double a, double b, double c) {
#if defined(PLAIN)
  return a * b + c;
#elif defined(__CUDA__)
  return __nvvm_fma_rn_d(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

// reciprocal is 1 / n within 2 units of the last place, for a count n of 1 to 2^47, without the branches of a division, so
// that several run side by side. 0 for n = 0 gives no number, which nobody uses.
DEVICE static inline double reciprocal(double n) {
#if defined(PLAIN) || !defined(__CUDA__)
  return 1 / n;
#else
  double y = __nvvm_rcp_approx_ftz_d(n);  // 20 bits; each step doubles them
  y = exact_fma(exact_fma(-n, y, 1.0), y, y);
  return exact_fma(exact_fma(-n, y, 1.0), y, y);
#endif
}

// quotient is a / n to the bit, for a count n of 1 to 2^47 and its reciprocal, which is known before a is. The first guess is
// off by a few units of the last place, so its remainder is a multiple of such a unit below 2^50 of them and is exact. The
// sum that the last step rounds is then within 2^-48 units of a / n, while a / n is at least 1/(2n) units from where rounding
// changes: it is a multiple of half a unit, over n, and never half-way (Markstein 1990; Muller et al., Handbook of
// Floating-Point Arithmetic, 4.7). Where the quotient could be subnormal or the guess too large, it is not usual: divide.
DEVICE static inline double quotient_usual(double a, double n, double reciprocal, bool &usual) {
  const u64 low = 200ull << 52, span = 1800ull << 52;
  u64 magnitude = bits64(a) & ~SIGN;
  bool inside = magnitude - low < span;
  usual = usual && (inside || magnitude - 1 >= EXPONENT - 1);
  double q = a * reciprocal;
  q = exact_fma(exact_fma(-q, n, a), reciprocal, q);
  return inside ? q : a;  // zeros, infinities and NaN are themselves
}

DEVICE static inline double quotient(double a, double n, double reciprocal) {
  bool usual = true;
  double q = quotient_usual(a, n, reciprocal, usual);
  return usual ? q : a / n;
}

// share_of is count / n to the bit, for counts of which n is the greater: nothing is unusual about them.
DEVICE static inline double share_of(double count, double n) {
  double r = reciprocal(n), q = count * r;
  return exact_fma(exact_fma(-q, n, count), r, q);
}
