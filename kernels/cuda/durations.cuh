// Windows of the last so many sub-intervals of engine time, the open one included.
#pragma once
#include "moments.cuh"

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
