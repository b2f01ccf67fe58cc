// The engine's own device code driven from C++: the PTX of a program (kernel `batch`), with the ways that a C++ program would
// choose. Device work is identical to the engine's stream dispatch; what is compared is the host.
//   program SECONDS PTX TICKS    of each: copies, a CUDA graph of them, one kernel on mapped memory; batches of 1 to 1024
// TICKS is written by `sigengine bench gpu`: the layout of a lane, an instrument's first state, and slots.
#include <cuda.h>
#include <algorithm>
#include <iterator>
#include "common.h"

#define CHECK(call)                                                        \
  do {                                                                     \
    CUresult e = (call);                                                   \
    if (e) {                                                               \
      const char *text = "";                                               \
      cuGetErrorString(e, &text);                                          \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, text);            \
      _exit(1);                                                            \
    }                                                                      \
  } while (0)

struct alignas(16) Quarter {
  uint64_t value;
  uint32_t aux, stamp;
};

// Header: little-endian, then u64 init[words], then Quarter slots[ticks * slot_quarters], tick after tick.
struct Header {
  char magic[4];  // SIGP
  uint32_t lane_bytes, at_in, at_out, at_state, at_ring, at_slot_quarters, at_words, at_from, at_count, at_shards, at_in_ring;
  uint32_t threads, shared_bytes, shard_slots, shards_max;  // a batch is dealt out over blocks
  uint32_t slot_quarters, row_quarters, words, instruments, ticks, time_quarter;
  uint64_t span_ns;  // how far time moves when the ticks begin again
};
static_assert(sizeof(Header) == 96, "as written");

static std::string read_file(const char *name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    fprintf(stderr, "cannot read %s\n", name);
    exit(2);
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

static const uint32_t MOST = 1024;
static Header header;
static std::vector<Quarter> ticks;
static Quarter *host_in, *host_out;
static char *table;
static CUdeviceptr in, out, state;
static CUstream stream;
static CUfunction kernel;
static uint64_t tick_at = 0;
static uint32_t shards;

template <class T>
static void set(uint32_t at, T v) {
  memcpy(table + at, &v, sizeof v);
}

static void describe(uint64_t from_in, uint64_t to_out, uint32_t ring) {
  memset(table, 0, header.lane_bytes);
  set(header.at_in, from_in);
  set(header.at_out, to_out);
  set(header.at_state, uint64_t(state));
  set(header.at_ring, ring);
  set(header.at_in_ring, ring);
  set(header.at_slot_quarters, header.slot_quarters);
  set(header.at_words, header.words);
}

// stage writes the next n ticks as slots from .. from+n-1 of a ring of that size.
static void stage(uint32_t n, uint32_t from, uint32_t ring) {
  for (uint32_t i = 0; i < n; i++, tick_at++) {
    const Quarter *tick = &ticks[tick_at % header.ticks * header.slot_quarters];
    uint64_t shift = tick_at / header.ticks * header.span_ns;
    for (uint32_t q = 0; q < header.slot_quarters; q++) {
      Quarter v = tick[q];
      if (q == header.time_quarter) v.value += shift;
      v.stamp = from + i + 1;
      host_in[uint64_t(q) * ring + ((from + i) & (ring - 1))] = v;
    }
  }
  set(header.at_from, from);
  set(header.at_count, n);
  shards = std::min((n + header.shard_slots - 1) / header.shard_slots, header.shards_max);
  set(header.at_shards, shards);
}

// wait_rows looks at the masks of every row, the last first.
static void wait_rows(uint32_t n, uint32_t from, uint32_t ring) {
  for (uint32_t i = n; i-- > 0;)
    for (uint32_t q = 0; q < 3; q++)
      while (*(volatile uint32_t *)&host_out[uint64_t(q) * ring + ((from + i) & (ring - 1))].stamp != from + i + 1) {
      }
}

static void launch() {
  CUdeviceptr argument;
  CHECK(cuMemHostGetDevicePointer(&argument, table, 0));
  void *arguments[] = {&argument};
  CHECK(cuLaunchKernel(kernel, shards, 1, 1, header.threads, 1, 1, header.shared_bytes, stream, arguments, nullptr));
}

static void copies(uint32_t ring) {
  CHECK(cuMemcpyHtoDAsync(in, host_in, uint64_t(ring) * header.slot_quarters * sizeof(Quarter), stream));
  launch();
  CHECK(cuMemcpyDtoHAsync(host_out, out, uint64_t(ring) * header.row_quarters * sizeof(Quarter), stream));
}

template <class Do>
static void measure(const char *what, uint32_t n, uint32_t ring, double seconds, uint32_t &from, Do once) {
  Timer timer(seconds);
  while (timer.more()) {
    timer.begin();
    stage(n, from, ring);
    once();
    wait_rows(n, from, ring);
    timer.done();
    from += ring;
  }
  CHECK(cuStreamSynchronize(stream));
  timer.report(what, int(n));
}

static void load(const char *ptx_name, const char *ticks_name) {
  std::string data = read_file(ticks_name), ptx = read_file(ptx_name);
  if (data.size() < sizeof header || memcmp(data.data(), "SIGP", 4) != 0) {
    fprintf(stderr, "%s is no file of ticks\n", ticks_name);
    exit(2);
  }
  memcpy(&header, data.data(), sizeof header);
  std::vector<uint64_t> first(header.words);
  memcpy(first.data(), data.data() + sizeof header, header.words * 8);
  ticks.resize(uint64_t(header.ticks) * header.slot_quarters);
  memcpy(ticks.data(), data.data() + sizeof header + header.words * 8, ticks.size() * sizeof(Quarter));

  CUmodule module;
  CHECK(cuModuleLoadData(&module, ptx.c_str()));
  CHECK(cuModuleGetFunction(&kernel, module, "batch"));
  CHECK(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, header.shared_bytes));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemHostAlloc((void **)&host_in, MOST * header.slot_quarters * sizeof(Quarter), CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(cuMemHostAlloc((void **)&host_out, MOST * header.row_quarters * sizeof(Quarter), CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(cuMemHostAlloc((void **)&table, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(cuMemAlloc(&in, MOST * header.slot_quarters * sizeof(Quarter)));
  CHECK(cuMemAlloc(&out, MOST * header.row_quarters * sizeof(Quarter)));
  CHECK(cuMemAlloc(&state, uint64_t(header.instruments) * header.words * 8));
  for (uint32_t i = 0; i < header.instruments; i++)
    CHECK(cuMemcpyHtoD(state + uint64_t(i) * header.words * 8, first.data(), header.words * 8));
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: program SECONDS PTX TICKS\n");
    return 2;
  }
  double seconds = seconds_of(argv[1]);
  own_core(3);
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  load(argv[2], argv[3]);
  uint32_t from = 0;
  for (uint32_t n : {1u, 64u, 256u, 1024u}) {
    uint32_t ring = n;  // powers of two
    from = (from + ring - 1) / ring * ring;
    describe(in, out, ring);
    measure("copies", n, ring, seconds, from, [&] {
      copies(ring);
      CHECK(cuStreamSynchronize(stream));
    });
    CUgraph graph;
    CUgraphExec ready;
    CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    copies(ring);
    CHECK(cuStreamEndCapture(stream, &graph));
    CHECK(cuGraphInstantiateWithFlags(&ready, graph, 0));
    CHECK(cuGraphUpload(ready, stream));
    measure("graph", n, ring, seconds, from, [&] {
      CHECK(cuGraphLaunch(ready, stream));
      CHECK(cuStreamSynchronize(stream));
    });
    CHECK(cuGraphExecDestroy(ready));
    CHECK(cuGraphDestroy(graph));
    CUdeviceptr mapped_in, mapped_out;
    CHECK(cuMemHostGetDevicePointer(&mapped_in, host_in, 0));
    CHECK(cuMemHostGetDevicePointer(&mapped_out, host_out, 0));
    describe(mapped_in, mapped_out, ring);
    measure("mapped", n, ring, seconds, from, [&] { launch(); });
  }
  report_memory();
  _exit(0);
}
