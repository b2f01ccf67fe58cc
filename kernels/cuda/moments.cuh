// Moments about a base, of one input and of two: what both kinds of windows are made of.
#pragma once
#include "base.cuh"

DEVICE static inline u64 add_canonical(u64 a, u64 b) { return canonical(f64(a) + f64(b)); }
DEVICE static inline bool is_nan(double v) { return v != v; }

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

