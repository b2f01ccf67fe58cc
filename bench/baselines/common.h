// What the baselines share: the clock, a core of their own, and one JSON object a line for each measurement.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <vector>

static inline double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static inline void own_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);  // a request: without the core it runs where it may
}

// Timer collects round trips for so many seconds, with pauses of uneven length between, so that nothing falls in step.
struct Timer {
  std::vector<double> took;
  double warm_until, end, began = 0;
  uint64_t count = 0;
  int warm = 200;  // first ones that do not count, for a quarter of the time at most
  explicit Timer(double seconds) : warm_until(now_us() + seconds * 0.25e6), end(now_us() + seconds * 1e6) { took.reserve(1 << 20); }
  bool more() const { return now_us() < end && took.size() < (1 << 21); }
  void begin() { began = now_us(); }
  void done() {
    double t = now_us();
    if (warm > 0 && t < warm_until)
      warm--;
    else
      took.push_back(t - began);
    for (double until = t + double(count++ * 7919 % 100) * 0.05; now_us() < until;) {
    }
  }
  void report(const char *what, int batch) {
    std::sort(took.begin(), took.end());
    size_t n = took.size();
    if (n == 0) return;
    double sum = 0;
    for (double v : took) sum += v;
    auto at = [&](double p) { return took[std::min(n - 1, size_t(double(n) * p))]; };
    printf("{\"what\":\"%s\",\"batch\":%d,\"count\":%zu,\"min\":%.3f,\"p50\":%.3f,\"p90\":%.3f,\"p99\":%.3f,\"p999\":%.3f,\"max\":%.3f,\"mean\":%.3f}\n",
           what, batch, n, took[0], at(0.5), at(0.9), at(0.99), at(0.999), took[n - 1], sum / double(n));
    fflush(stdout);
  }
};

// report_memory prints the resident memory of this process now, in MB.
static inline void report_memory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("VmRSS:", 0) == 0) printf("{\"what\":\"rss\",\"value\":%.1f,\"unit\":\"MB\"}\n", atof(line.c_str() + 6) / 1024);
  fflush(stdout);
}

static inline double seconds_of(const char *text) {
  double s = atof(text);
  if (!(s > 0)) {
    fprintf(stderr, "seconds: want a number above 0, got %s\n", text);
    exit(2);
  }
  return s;
}
