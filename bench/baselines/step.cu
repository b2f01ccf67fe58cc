// The plain step in C++ and CUDA, float64: an event updates two averages and a variance of its symbol, three values come
// back. The same step is in torch_step.py.
//   step SECONDS      of each: copies, a CUDA graph of them, one kernel on mapped memory; batches of 1 to 1024
#include <cuda_runtime.h>
#include "common.h"

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t e = (call);                                                               \
    if (e != cudaSuccess) {                                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));          \
      _exit(1);                                                                           \
    }                                                                                     \
  } while (0)

struct alignas(16) Event {
  double bid, ask, bid_size, ask_size;
  uint32_t symbol, stamp;
};
struct alignas(16) Row {
  double trend, deviation, imbalance;
  uint64_t stamp;
};
struct State {
  double fast, slow, variance;
};

__global__ void step(const Event *events, Row *rows, State *states, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Event e = events[i];
  State s = states[e.symbol];
  double mid = 0.5 * (e.bid + e.ask), imbalance = (e.bid_size - e.ask_size) / (e.bid_size + e.ask_size);
  s.fast += 0.1 * (mid - s.fast);
  s.slow += 0.01 * (mid - s.slow);
  double d = mid - s.slow;
  s.variance += 0.01 * (d * d - s.variance);
  states[e.symbol] = s;
  rows[i].trend = s.fast - s.slow;
  rows[i].deviation = d / sqrt(s.variance + 1e-12);
  rows[i].imbalance = imbalance;
  __threadfence_system();  // the stamp vouches for the values before it
  *(volatile uint64_t *)&rows[i].stamp = e.stamp;
}

static const int MOST = 1024;
static Event *host_in, *in;
static Row *host_out, *out;
static State *states;
static cudaStream_t stream;

static void write_events(int n, uint32_t stamp) {
  for (int i = 0; i < n; i++) {
    Event &e = host_in[i];
    e.bid = 100 + (stamp % 1000) * 0.01;
    e.ask = e.bid + 0.02;
    e.bid_size = stamp % 7 + 1;
    e.ask_size = stamp % 17 + 1;
    e.symbol = uint32_t(i);
    *(volatile uint32_t *)&e.stamp = stamp;
  }
}

static void wait_rows(int n, uint32_t stamp) {
  for (int i = n - 1; i >= 0; i--)
    while (*(volatile uint64_t *)&host_out[i].stamp != stamp) {
    }
}

static void launch(int n, const Event *from, Row *to) {
  int threads = n < 128 ? (n + 31) / 32 * 32 : 128;
  step<<<(n + threads - 1) / threads, threads, 0, stream>>>(from, to, states, n);
}

static void copies(int n) {
  CHECK(cudaMemcpyAsync(in, host_in, n * sizeof(Event), cudaMemcpyHostToDevice, stream));
  launch(n, in, out);
  CHECK(cudaMemcpyAsync(host_out, out, n * sizeof(Row), cudaMemcpyDeviceToHost, stream));
}

template <class Do>
static void measure(const char *what, int n, double seconds, uint32_t &stamp, Do once) {
  Timer timer(seconds);
  while (timer.more()) {
    stamp++;
    timer.begin();
    write_events(n, stamp);
    once();
    wait_rows(n, stamp);
    timer.done();
  }
  CHECK(cudaStreamSynchronize(stream));
  timer.report(what, n);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: step SECONDS\n");
    return 2;
  }
  double seconds = seconds_of(argv[1]);
  own_core(3);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaHostAlloc((void **)&host_in, MOST * sizeof(Event), cudaHostAllocMapped));
  CHECK(cudaHostAlloc((void **)&host_out, MOST * sizeof(Row), cudaHostAllocMapped));
  CHECK(cudaMalloc((void **)&in, MOST * sizeof(Event)));
  CHECK(cudaMalloc((void **)&out, MOST * sizeof(Row)));
  CHECK(cudaMalloc((void **)&states, MOST * sizeof(State)));
  CHECK(cudaMemset(states, 0, MOST * sizeof(State)));
  uint32_t stamp = 0;
  for (int n : {1, 64, 256, 1024}) {
    measure("step copies", n, seconds, stamp, [&] {
      copies(n);
      CHECK(cudaStreamSynchronize(stream));
    });
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    copies(n);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphUpload(ready, stream));
    measure("step graph", n, seconds, stamp, [&] {
      CHECK(cudaGraphLaunch(ready, stream));
      CHECK(cudaStreamSynchronize(stream));
    });
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    measure("step mapped", n, seconds, stamp, [&] { launch(n, host_in, host_out); });
  }
  report_memory();
  _exit(0);
}
