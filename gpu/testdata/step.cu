typedef unsigned u32;
extern "C" __attribute__((device)) u32 step(u32 x) { return 3 * x + 1; }
