// Windows of the last N pushes.
#pragma once
#include "moments.cuh"

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

