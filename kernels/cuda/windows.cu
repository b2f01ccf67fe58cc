// The windows of kernels/program, operation for operation: same state words, same order, so the same bits. Each function
// advances one window of one instrument and writes its outputs; docs/program.md has the algorithms and rulers.
//
//   void sg_<aggregate>_<kind>(u64 *state, u64 size, u64 sub, u64 time, u32 flags, u64 x, u64 y, u64 *outputs)
//
// size is N or the step in nanoseconds; flags: 1 push, 2 reset. Compiled with -ffp-contract=off: nothing is fused.
// What most ticks do is straight-line: the words of the head are read at once, and no loop runs. Outputs are only written.
// Loops over a ring read several entries at once, for each takes long to come, and what is past the end is read but not used.
#include "base.cuh"

#define WINDOW(name)                                                                                                    \
  extern "C" DEVICE __attribute__((noinline)) void name(Word *st, u64 size, u64 sub, u64 time, u32 flags, u64 x, u64 y, \
                                                        u64 *out)
#define PUSH (flags & 1)
#define RESET (flags & 2)

enum { SUM_HEAD = 3, MOM_HEAD = 5, LAG_HEAD = 2, EXT_HEAD = 4, MOM2_HEAD = 9, WGT_HEAD = 4, RANK_HEAD = 3, ABSDEV_HEAD = 4, DUR_HEAD = 3 };
enum { MOM2_RING = 5, MOM2_ENTRY = 8 };

DEVICE static inline u64 add_canonical(u64 a, u64 b) { return canonical(f64(a) + f64(b)); }
DEVICE static inline bool is_nan(double v) { return v != v; }

enum { CHUNK = 16, FLIP = 8 };  // entries read at once

// ---- moments -------------------------------------------------------------------------------------------------------

struct Moments {
  double base, n, mean, m2;
};

DEVICE static inline Moments moments(double base, double n, double mean, double m2) { return Moments{base, n, mean, m2}; }

DEVICE static inline Moments based(Moments m, double x) {
  if (m.n == 0) {
    m.base = x, m.mean = 0, m.m2 = 0;
  } else if (is_nan(m.base)) {
    m.base = x;
  }
  return m;
}

DEVICE static inline Moments add(Moments m, double d) {
  m.n = m.n + 1;
  double delta = d - m.mean;
  m.mean = m.mean + quotient(delta, m.n, reciprocal(m.n));
  m.m2 = m.m2 + delta * (d - m.mean);
  return m;
}

// add_usual is add without a branch; where that does not do, usual becomes false.
DEVICE static inline Moments add_usual(Moments m, double d, bool &usual) {
  m.n = m.n + 1;
  double delta = d - m.mean;
  m.mean = m.mean + quotient_usual(delta, m.n, reciprocal(m.n), usual);
  m.m2 = m.m2 + delta * (d - m.mean);
  return m;
}

DEVICE static inline Moments push(Moments m, double x) {
  m = based(m, x);
  return add(m, x - m.base);
}

DEVICE static inline Moments joined(Moments m, Moments b) {
  double n = m.n + b.n;
  double share = share_of(m.n, n);
  double delta = (b.base - m.base) + (b.mean - m.mean);
  Moments both = {b.base, n, b.mean - delta * share, (m.m2 + b.m2) + (delta * delta) * (b.n * share)};
  bool first = b.n == 0, second = m.n == 0;  // choices, not branches
  return Moments{second ? b.base : first ? m.base : both.base, n, second ? b.mean : first ? m.mean : both.mean,
                 second ? b.m2 : first ? m.m2 : both.m2};
}

DEVICE static inline u64 center(Moments m) { return m.n == 0 ? CANONICAL_NAN : canonical(m.base + m.mean); }
DEVICE static inline u64 spread(Moments m) { return m.n == 0 ? CANONICAL_NAN : canonical(m.m2); }
DEVICE static inline u64 deviation(Moments m, double d) { return m.n == 0 ? CANONICAL_NAN : canonical(d - m.mean); }

DEVICE static inline Moments moments_at(const Word *st) { return Moments{f64(st[0]), f64(st[1]), f64(st[2]), f64(st[3])}; }
DEVICE static inline void put(Moments m, Word *st) {
  st[0] = bits64(m.base), st[1] = bits64(m.n), st[2] = canonical(m.mean), st[3] = canonical(m.m2);
}

struct Moments2 {
  Moments x, y;
  double c;
};

DEVICE static inline void add2(Moments2 &m, double dx, double dy) {
  double delta = dx - m.x.mean;
  m.x = add(m.x, dx), m.y = add(m.y, dy);
  m.c = m.c + delta * (dy - m.y.mean);
}

DEVICE static inline void push2(Moments2 &m, double x, double y) {
  m.x = based(m.x, x), m.y = based(m.y, y);
  add2(m, x - m.x.base, y - m.y.base);
}

DEVICE static inline void join2(Moments2 &m, const Moments2 &b) {
  if (b.x.n == 0) return;
  if (m.x.n == 0) {
    m = b;
    return;
  }
  double dx = (b.x.base - m.x.base) + (b.x.mean - m.x.mean);
  double dy = (b.y.base - m.y.base) + (b.y.mean - m.y.mean);
  double n = m.x.n + b.x.n;
  double share = share_of(m.x.n, n);
  double weight = b.x.n * share;
  m.c = (m.c + b.c) + (dx * dy) * weight;
  m.x.m2 = (m.x.m2 + b.x.m2) + (dx * dx) * weight;
  m.y.m2 = (m.y.m2 + b.y.m2) + (dy * dy) * weight;
  m.x.mean = b.x.mean - dx * share;
  m.y.mean = b.y.mean - dy * share;
  m.x.base = b.x.base, m.x.n = n;
  m.y.base = b.y.base, m.y.n = n;
}

DEVICE static inline void get2(Moments2 &m, const Word *st, const Word *slot, double count) {
  m.x = Moments{f64(st[2]), count, f64(slot[0]), f64(slot[2])};
  m.y = Moments{f64(st[3]), count, f64(slot[1]), f64(slot[3])};
  m.c = f64(slot[4]);
}

DEVICE static inline void set2(const Moments2 &m, Word *slot) {
  slot[0] = canonical(m.x.mean), slot[1] = canonical(m.y.mean);
  slot[2] = canonical(m.x.m2), slot[3] = canonical(m.y.m2);
  slot[4] = canonical(m.c);
}

DEVICE static inline void load2(Moments2 &m, const Word *st) {
  m.x = Moments{f64(st[0]), f64(st[2]), f64(st[3]), f64(st[5])};
  m.y = Moments{f64(st[1]), f64(st[2]), f64(st[4]), f64(st[6])};
  m.c = f64(st[7]);
}

DEVICE static inline void store2(const Moments2 &m, Word *st) {
  st[0] = canonical(m.x.base), st[1] = canonical(m.y.base), st[2] = canonical(m.x.n);
  set2(m, st + 3);
}

DEVICE static inline void out2(const Moments2 &m, u64 warm, u64 *out) {
  out[0] = center(m.x), out[1] = center(m.y);
  out[2] = spread(m.x), out[3] = spread(m.y);
  out[4] = m.x.n == 0 ? CANONICAL_NAN : canonical(m.c);
  out[5] = bits64(m.x.n), out[6] = warm;
}

// ---- sample windows ------------------------------------------------------------------------------------------------

DEVICE static inline void flip_sum(Word *ring, u64 n) {
  double acc = 0;
#pragma clang loop unroll(disable)
  for (u64 left = n; left > 0; left = left > CHUNK ? left - CHUNK : 0) {
    u64 v[CHUNK];
#pragma unroll
    for (u64 k = 0; k < CHUNK; k++) v[k] = ring[k < left ? left - 1 - k : 0];
#pragma unroll
    for (u64 k = 0; k < CHUNK; k++) {
      if (k >= left) continue;
      acc = acc + f64(v[k]);
      ring[left - 1 - k] = canonical(acc);
    }
  }
}

WINDOW(sg_sum_samples) {
  u64 n = size, pos = st[0], full = st[1], run = st[2];
  if (RESET && (pos | full)) {
    clear(st, SUM_HEAD + n);
    pos = 0, full = 0, run = 0;
  }
  Word *ring = st + SUM_HEAD;
  u64 after = pos + 1 == n ? 0 : pos + 1;
  u64 here = ring[pos], next = ring[after];
  if (PUSH) {
    u64 v = canonical_bits(x);
    ring[pos] = v;
    run = add_canonical(run, v);
    here = next;
    if (after == 0) {
      flip_sum(ring, n);
      here = ring[0], full = 1, run = 0;
      st[1] = full;
    }
    pos = after;
    st[0] = pos, st[2] = run;
  }
  out[0] = full ? add_canonical(here, run) : run;
  out[1] = bits64((double)(i64)(full ? n : pos));
  out[2] = full ? TRUE_MASK : 0;
}

// flip_moments makes the suffix moments and returns the base that they are of.
DEVICE static inline u64 flip_moments(u64 base, Word *ring, u64 n) {
#pragma clang loop unroll(disable)
  for (u64 i = n; i-- > 0;)
    if (ring[2 * i] != CANONICAL_NAN) {
      base = ring[2 * i];
      break;
    }
  Moments acc = {0, 0, 0, 0};
  u64 v[FLIP];
#pragma unroll
  for (u64 k = 0; k < FLIP; k++) v[k] = ring[2 * (k < n ? n - 1 - k : 0)];
#pragma clang loop unroll(disable)
  for (u64 left = n; left > 0; left = left > FLIP ? left - FLIP : 0) {
    u64 next[FLIP];
    Moments all[FLIP], m = acc;
    bool usual = true;
#pragma unroll
    for (u64 k = 0; k < FLIP; k++) next[k] = ring[2 * (k + FLIP < left ? left - FLIP - 1 - k : 0)];
#pragma unroll
    for (u64 k = 0; k < FLIP; k++) all[k] = m = add_usual(m, f64(v[k]) - f64(base), usual);
    if (!usual) {
      m = acc;
#pragma unroll
      for (u64 k = 0; k < FLIP; k++) all[k] = m = add(m, f64(v[k]) - f64(base));
    }
#pragma unroll
    for (u64 k = 0; k < FLIP; k++) {
      if (k >= left) continue;
      ring[2 * (left - 1 - k)] = canonical(all[k].mean), ring[2 * (left - 1 - k) + 1] = canonical(all[k].m2);
      v[k] = next[k];
    }
    acc = m;
  }
  return base;
}

WINDOW(sg_moments_samples) {
  u64 n = size, pos = st[0], full = st[1], base = st[2];
  double mean = f64(st[3]), m2 = f64(st[4]);
  if (RESET && (pos | full)) {
    clear(st, MOM_HEAD + 2 * n);
    pos = 0, full = 0, base = 0, mean = 0, m2 = 0;
  }
  Word *ring = st + MOM_HEAD;
  u64 after = pos + 1 == n ? 0 : pos + 1, before = pos == 0 ? n - 1 : pos - 1;
  u64 old_mean = ring[2 * pos], old_m2 = ring[2 * pos + 1];
  u64 next_mean = ring[2 * after], next_m2 = ring[2 * after + 1], last = ring[2 * before];
  if (PUSH) {
    u64 v = canonical_bits(x);
    if ((pos | full) == 0 || base == CANONICAL_NAN) base = v, st[2] = v;
    ring[2 * pos] = v, ring[2 * pos + 1] = 0;
    Moments run = add(Moments{0, (double)(i64)pos, mean, m2}, f64(v) - f64(base));
    mean = f64(canonical(run.mean)), m2 = f64(canonical(run.m2));
    last = v, old_mean = next_mean, old_m2 = next_m2;
    if (after == 0) {
      base = flip_moments(base, ring, n);
      full = 1, mean = 0, m2 = 0;
      old_mean = ring[0], old_m2 = ring[1], last = ring[2 * n - 2];
      st[1] = full, st[2] = base;
    }
    pos = after;
    st[0] = pos, st[3] = bits64(mean), st[4] = bits64(m2);
  }
  Moments m = {f64(base), (double)(i64)pos, mean, m2};
  double newest = pos > 0 ? f64(last) - m.base : full ? f64(last) : 0;
  Moments both = joined(Moments{m.base, (double)(i64)(n - pos), f64(old_mean), f64(old_m2)}, m);
  if (full) m = both;
  out[0] = center(m), out[1] = spread(m), out[2] = bits64(m.n), out[3] = full ? TRUE_MASK : 0, out[4] = deviation(m, newest);
}

WINDOW(sg_lag_samples) {
  u64 n = size, pos = st[0], count = st[1];
  if (RESET && count != 0) {
    clear(st, LAG_HEAD + n + 1);
    pos = 0, count = 0;
  }
  Word *ring = st + LAG_HEAD;
  u64 after = pos == n ? 0 : pos + 1, here = ring[pos], next = ring[after];
  if (PUSH) {
    ring[pos] = canonical_bits(x);
    pos = after, here = next;
    count += count < n + 1;
    st[0] = pos, st[1] = count;
  }
  bool warm = count == n + 1;
  out[0] = warm ? here : CANONICAL_NAN, out[1] = warm ? TRUE_MASK : 0;
}

DEVICE static inline bool older_wins(u64 older, u64 newer, bool least) {
  double a = f64(older), b = f64(newer);
  if (least) return a < b || a != a;
  return a > b || a != a;
}

DEVICE static inline u64 age_of(u64 value, u64 pushes) {
  return value == CANONICAL_NAN ? CANONICAL_NAN : bits64((double)(i64)pushes);
}

DEVICE static void extreme_samples(Word *st, u64 n, u32 flags, u64 x, u64 *out, bool least) {
  if (RESET && (st[0] | st[1])) clear(st, EXT_HEAD + 2 * n);
  Word *ring = st + EXT_HEAD;
  if (PUSH) {
    u64 pos = st[0];
    x = canonical_bits(x);
    ring[2 * pos] = x, ring[2 * pos + 1] = pos;
    if (pos == 0 || !older_wins(st[2], x, least)) st[2] = x, st[3] = pos;
    st[0] = pos + 1;
    if (pos + 1 == n) {
      for (u64 i = n - 1; i-- > 0;)
        if (!older_wins(ring[2 * i], ring[2 * i + 2], least))
          ring[2 * i] = ring[2 * i + 2], ring[2 * i + 1] = ring[2 * i + 3];
      st[0] = 0, st[1] = 1, st[2] = 0, st[3] = 0;
    }
  }
  u64 pos = st[0];
  if (st[1] == 0 && pos == 0) {
    out[0] = CANONICAL_NAN, out[1] = CANONICAL_NAN, out[2] = 0;
  } else if (st[1] == 0) {
    out[0] = st[2], out[1] = age_of(st[2], pos - 1 - st[3]), out[2] = 0;
  } else if (pos == 0 || older_wins(ring[2 * pos], st[2], least)) {
    out[0] = ring[2 * pos], out[1] = age_of(ring[2 * pos], n - 1 - ring[2 * pos + 1] + pos), out[2] = TRUE_MASK;
  } else {
    out[0] = st[2], out[1] = age_of(st[2], pos - 1 - st[3]), out[2] = TRUE_MASK;
  }
}

WINDOW(sg_min_samples) { extreme_samples(st, size, flags, x, out, true); }
WINDOW(sg_max_samples) { extreme_samples(st, size, flags, x, out, false); }

DEVICE static inline u64 newest_defined(const Word *ring, u64 n, u32 input, u64 old) {
  for (u64 i = n; i-- > 0;)
    if (ring[MOM2_RING * i + input] != CANONICAL_NAN) return ring[MOM2_RING * i + input];
  return old;
}

WINDOW(sg_moments2_samples) {
  u64 n = size;
  if (RESET && (st[0] | st[1])) clear(st, MOM2_HEAD + MOM2_RING * n);
  Word *ring = st + MOM2_HEAD;
  if (PUSH) {
    u64 pos = st[0], vx = canonical_bits(x), vy = canonical_bits(y);
    bool first = (pos | st[1]) == 0;
    if (first || st[2] == CANONICAL_NAN) st[2] = vx;
    if (first || st[3] == CANONICAL_NAN) st[3] = vy;
    Word *slot = ring + MOM2_RING * pos;
    slot[0] = vx, slot[1] = vy, slot[2] = 0, slot[3] = 0, slot[4] = 0;
    Moments2 run;
    get2(run, st, st + 4, (double)(i64)pos);
    add2(run, f64(vx) - f64(st[2]), f64(vy) - f64(st[3]));
    set2(run, st + 4);
    st[0] = pos + 1;
    if (st[0] == n) {
      st[2] = newest_defined(ring, n, 0, st[2]), st[3] = newest_defined(ring, n, 1, st[3]);
      double bx = f64(st[2]), by = f64(st[3]);
      Moments2 acc = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
      for (u64 i = n; i-- > 0;) {
        add2(acc, f64(ring[MOM2_RING * i]) - bx, f64(ring[MOM2_RING * i + 1]) - by);
        set2(acc, ring + MOM2_RING * i);
      }
      clear(st + 4, MOM2_HEAD - 4);
      st[0] = 0, st[1] = 1;
    }
  }
  u64 pos = st[0], warm = 0;
  Moments2 run, m;
  get2(run, st, st + 4, (double)(i64)pos);
  if (st[1] == 0) {
    m = run;
  } else {
    get2(m, st, ring + MOM2_RING * pos, (double)(i64)(n - pos));
    join2(m, run);
    warm = TRUE_MASK;
  }
  out2(m, warm, out);
}

WINDOW(sg_weighted_samples) {
  u64 n = size;
  if (RESET && (st[0] | st[1])) clear(st, WGT_HEAD + n);
  Word *ring = st + WGT_HEAD;
  if (PUSH) {
    u64 pos = st[0];
    ring[pos] = canonical_bits(x);
    double weight = (double)(i64)(pos + 1);
    st[2] = canonical(f64(st[2]) + weight * f64(ring[pos]));
    st[3] = add_canonical(st[3], ring[pos]);
    st[0] = pos + 1;
    if (pos + 1 == n) {
      double plain = 0, weighted = 0;
      for (u64 i = n; i-- > 0;) {
        plain = plain + f64(ring[i]);
        weighted = weighted + plain;
        ring[i] = canonical(weighted);
      }
      st[0] = 0, st[1] = 1, st[2] = 0, st[3] = 0;
    }
  }
  u64 pos = st[0];
  if (st[1] == 0) {
    out[0] = st[2], out[1] = bits64((double)(i64)(pos * (pos + 1) / 2)), out[2] = 0;
    return;
  }
  double lifted = f64(st[2]) + (double)(i64)(n - pos) * f64(st[3]);
  out[0] = canonical(f64(ring[pos]) + lifted), out[1] = bits64((double)(i64)(n * (n + 1) / 2)), out[2] = TRUE_MASK;
}

WINDOW(sg_rank_samples) {
  u64 n = size;
  if (RESET && st[1] != 0) clear(st, RANK_HEAD + n);
  Word *ring = st + RANK_HEAD;
  if (PUSH) {
    u64 pos = st[0];
    ring[pos] = canonical_bits(x);
    if (st[1] < n) st[1] = st[1] + 1;
    double v = f64(ring[pos]);
    u64 less = 0, at_most = 0, at_least = 0;
    for (u64 i = 0; i < st[1]; i++) {
      double other = f64(ring[i]);
      less += other < v, at_most += other <= v, at_least += other >= v;
    }
    if (less + at_least != st[1])
      st[2] = CANONICAL_NAN;
    else
      st[2] = bits64((double)(i64)less + 0.5 * (double)(i64)(at_most - less - 1));
    pos++;
    st[0] = pos == n ? 0 : pos;
  }
  if (st[1] == 0) {
    out[0] = CANONICAL_NAN, out[1] = 0, out[2] = 0;
    return;
  }
  out[0] = st[2], out[1] = bits64((double)(i64)st[1]), out[2] = mask_of(st[1] == n);
}

WINDOW(sg_absdev_samples) {
  u64 n = size;
  if (RESET && st[1] != 0) clear(st, ABSDEV_HEAD + n);
  Word *ring = st + ABSDEV_HEAD;
  if (PUSH) {
    u64 pos = st[0];
    ring[pos] = canonical_bits(x);
    double base = f64(ring[pos]);
    if (++pos == n) pos = 0;
    st[0] = pos;
    if (st[1] < n) st[1] = st[1] + 1;
    if (st[1] == n) {
      double count = (double)(i64)n, sum = 0, total = 0;
      for (u64 k = 0, i = pos; k < n; k++, i = i + 1 == n ? 0 : i + 1) sum = sum + (f64(ring[i]) - base);
      double mean = sum / count;
      for (u64 k = 0, i = pos; k < n; k++, i = i + 1 == n ? 0 : i + 1)
        total = total + f64(bits64((f64(ring[i]) - base) - mean) & ~SIGN);
      st[2] = canonical(total / count), st[3] = canonical(-mean);
    }
  }
  if (st[1] != n) {
    out[0] = CANONICAL_NAN, out[1] = CANONICAL_NAN, out[2] = 0;
    return;
  }
  out[0] = st[2], out[1] = st[3], out[2] = TRUE_MASK;
}

// ---- duration windows ----------------------------------------------------------------------------------------------

DEVICE static inline i64 sub_interval(i64 time, i64 step) {
  i64 j = time / step;
  return time % step < 0 ? j - 1 : j;
}

DEVICE static inline u64 entry_of(i64 j, u64 sub) {
  if ((sub & (sub - 1)) == 0) return (u64)j & (sub - 1);
  i64 r = j % (i64)sub;
  return (u64)(r < 0 ? r + (i64)sub : r);
}

// A duration window's place: the open entry, whether the closed total must be made again, and whether the window is warm.
struct Span {
  u64 entry;
  bool closed, warm;
};

// advance begins the window where it must and moves it to time.
DEVICE static inline Span advance(Word *st, u64 all, u64 step, u64 sub, u64 words, i64 time, u32 flags) {
  i64 cur = (i64)st[0], start = (i64)st[1];
  u64 begun = st[2];
  if (RESET && begun != 0) {
    clear(st, all);
    begun = 0, cur = 0, start = 0;
  }
  if (begun != 0 && cur >= 0 && time >= 0 && time - cur * (i64)step < (i64)step)  // spares the division
    return Span{entry_of(cur, sub), false, (u64)(cur - start) >= sub};
  if (begun == 0 && !PUSH) return Span{0, false, false};
  i64 j = sub_interval(time, (i64)step);
  if (begun == 0) {
    st[0] = (u64)j, st[1] = (u64)j, st[2] = 1;
    return Span{entry_of(j, sub), false, false};
  }
  if (j <= cur) return Span{entry_of(cur, sub), false, (u64)(cur - start) >= sub};
  u64 passed = (u64)(j - cur) < sub ? (u64)(j - cur) : sub;
  Word *ring = st + DUR_HEAD + words;
  u64 entry = entry_of(j, sub);
#pragma clang loop unroll(disable)
  for (u64 k = 0, e = entry; k < passed; k++) {
    clear(ring + words * e, words);
    e = e == 0 ? sub - 1 : e - 1;
  }
  st[0] = (u64)j;
  return Span{entry, true, (u64)(j - start) >= sub};
}

// close_sum is the total of the closed entries, from the oldest: those after the open one to the end of the ring, then those
// before it.
DEVICE static inline void close_sum(const Word *ring, u64 entry, u64 sub, double &s, double &c) {
#pragma clang loop unroll(disable)
  for (u64 first = 1; first < sub; first += CHUNK) {
    u64 vs[CHUNK], vc[CHUNK];
#pragma unroll
    for (u64 k = 0; k < CHUNK; k++) {
      u64 e = first + k < sub ? entry + first + k : entry;
      e = e < sub ? e : e - sub;
      vs[k] = ring[2 * e], vc[k] = ring[2 * e + 1];
    }
#pragma unroll
    for (u64 k = 0; k < CHUNK; k++) {
      double more = s + f64(vs[k]), count = c + f64(vc[k]);
      s = first + k < sub ? more : s, c = first + k < sub ? count : c;
    }
  }
}

WINDOW(sg_sum_duration) {
  Span at = advance(st, DUR_HEAD + 2 * (1 + sub), size, sub, 2, (i64)time, flags);
  Word *total = st + DUR_HEAD, *ring = st + DUR_HEAD + 2, *open = ring + 2 * at.entry;
  u64 sum = total[0], count = total[1], s = open[0], c = open[1];
  if (at.closed) {
    double all = 0, n = 0;
    close_sum(ring, at.entry, sub, all, n);
    sum = canonical(all), count = canonical(n);
    total[0] = sum, total[1] = count;
  }
  if (PUSH) {
    s = add_canonical(s, canonical_bits(x));
    c = add_canonical(c, bits64(1));
    open[0] = s, open[1] = c;
  }
  out[0] = add_canonical(sum, s), out[1] = add_canonical(count, c), out[2] = at.warm ? TRUE_MASK : 0;
}

DEVICE static inline Moments close_moments(const Word *ring, u64 entry, u64 sub) {
  Moments acc = {0, 0, 0, 0};
#pragma clang loop unroll(disable)
  for (u64 first = 1; first < sub; first += FLIP) {
    Moments v[FLIP];
#pragma unroll
    for (u64 k = 0; k < FLIP; k++) {
      u64 e = first + k < sub ? entry + first + k : entry;
      e = e < sub ? e : e - sub;
      v[k] = moments_at(ring + 4 * e);
    }
#pragma unroll
    for (u64 k = 0; k < FLIP; k++) {
      Moments more = joined(acc, v[k]);
      if (first + k < sub) acc = more;
    }
  }
  return acc;
}

WINDOW(sg_moments_duration) {
  Span at = advance(st, DUR_HEAD + 4 * (1 + sub) + 1, size, sub, 4, (i64)time, flags);
  Word *ring = st + DUR_HEAD + 4, *last = st + DUR_HEAD + 4 + 4 * sub, *entry = ring + 4 * at.entry;
  Moments closed = moments_at(st + DUR_HEAD), open = moments_at(entry);
  u64 newest = *last;
  if (at.closed) {
    closed = close_moments(ring, at.entry, sub);
    put(closed, st + DUR_HEAD);
    closed.mean = f64(canonical(closed.mean)), closed.m2 = f64(canonical(closed.m2));
  }
  if (PUSH) {
    newest = canonical_bits(x);
    *last = newest;
    open = push(open, f64(newest));
    open.mean = f64(canonical(open.mean)), open.m2 = f64(canonical(open.m2));
    put(open, entry);
  }
  Moments m = joined(closed, open);
  out[0] = center(m), out[1] = spread(m), out[2] = bits64(m.n), out[3] = at.warm ? TRUE_MASK : 0;
  out[4] = deviation(m, f64(newest) - m.base);
}

DEVICE static void extreme_duration(Word *st, u64 size, u64 sub, u64 time, u32 flags, u64 x, u64 *out, bool least) {
  Span at = advance(st, DUR_HEAD + 2 * (1 + sub), size, sub, 2, (i64)time, flags);
  u64 entry = at.entry;
  Word *total = st + DUR_HEAD, *ring = st + DUR_HEAD + 2;
  if (at.closed) {
    u64 value = 0;
    double n = 0;
    for (u64 k = 1, e = entry; k < sub; k++) {
      e = e + 1 == sub ? 0 : e + 1;
      double bn = f64(ring[2 * e + 1]);
      if (n == 0) {
        value = ring[2 * e], n = bn;
      } else if (bn != 0) {
        if (!older_wins(value, ring[2 * e], least)) value = ring[2 * e];
        n = n + bn;
      }
    }
    total[0] = value, total[1] = bits64(n);
  }
  Word *open = ring + 2 * entry;
  if (PUSH) {
    double n = f64(open[1]);
    u64 v = canonical_bits(x);
    if (n == 0) {
      open[0] = v, open[1] = bits64(1);
    } else {
      if (!older_wins(open[0], v, least)) open[0] = v;
      open[1] = bits64(n + 1);
    }
  }
  u64 value = total[0];
  double n = f64(total[1]), bn = f64(open[1]);
  if (n == 0) {
    value = open[0], n = bn;
  } else if (bn != 0) {
    if (!older_wins(value, open[0], least)) value = open[0];
    n = n + bn;
  }
  out[0] = n == 0 ? CANONICAL_NAN : value, out[1] = CANONICAL_NAN, out[2] = at.warm ? TRUE_MASK : 0;
}

WINDOW(sg_min_duration) { extreme_duration(st, size, sub, time, flags, x, out, true); }
WINDOW(sg_max_duration) { extreme_duration(st, size, sub, time, flags, x, out, false); }

WINDOW(sg_moments2_duration) {
  Span at = advance(st, DUR_HEAD + MOM2_ENTRY * (1 + sub), size, sub, MOM2_ENTRY, (i64)time, flags);
  u64 entry = at.entry;
  Word *ring = st + DUR_HEAD + MOM2_ENTRY;
  Moments2 next, m = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
  if (at.closed) {
    for (u64 k = 1, e = entry; k < sub; k++) {
      e = e + 1 == sub ? 0 : e + 1;
      load2(next, ring + MOM2_ENTRY * e);
      join2(m, next);
    }
    store2(m, st + DUR_HEAD);
  }
  load2(next, ring + MOM2_ENTRY * entry);
  if (PUSH) {
    push2(next, f64(canonical_bits(x)), f64(canonical_bits(y)));
    store2(next, ring + MOM2_ENTRY * entry);
  }
  load2(m, st + DUR_HEAD);
  join2(m, next);
  out2(m, at.warm ? TRUE_MASK : 0, out);
}

#if !defined(__CUDA__)
// For tests: a reciprocal may be off by some units, as the device's is.
extern "C" double sg_quotient(double a, double n, double reciprocal) { return quotient(a, n, reciprocal); }
#endif
