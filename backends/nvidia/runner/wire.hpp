// The messages between the runner and its worker. The worker alone touches the device: one candidate, one context. It
// knows inputs, never an expected value; the runner owns both, and the verdict.
#pragma once

#include "backends/launch_plan/plan_resolution.hpp"
#include "runtime/base/codec.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::cuda_wire {

// Returns how long the runner and its processes poll for a message before they sleep. Waking up takes longer than most
// of their requests. Where cores are few, other processes need them more.
std::chrono::microseconds time_awake();

enum class word : uint8_t {
  open = 1,
  hello,
  load,
  loaded,
  stage,
  staged,
  go,
  done,
  fetch,
  fetched,
  measure,
  measured,
  // the examiner's
  examiner_ready,
  make_arena,
  arena_made,
  attach,
  hold,
  put,
  drop,
  bring_back,
  acknowledged,
  work,
  worked,
  draw,
  make_pool,
  bring_set
};

// The outcome of a request. `status` is the driver's; zero: it went well.
struct answer {
  int32_t status = 0;
  std::string name;   // "CUDA_ERROR_ILLEGAL_ADDRESS"
  std::string phase;  // what was being done
  std::string detail; // for a person
};

// Make a context: until then a worker has woken the driver, and no more.
struct open {};
struct hello {
  answer how;
  std::map<std::string, std::string> facts; // "device", "driver", "uuid", "pci", "l2", "cupti" …
  device_limits limits;
  uint64_t l2_bytes = 0;
  double memory_bytes_per_second = 0.0; // of its pins
  uint32_t clock_khz = 0;
  bool pageable_access = false; // the device reads and writes any host memory of its process
  int64_t ready_ns = 0;         // from the order
};

// The arena's descriptor comes right after it.
struct load {
  std::vector<std::string> modules;
  std::vector<std::string> kernels;
  uint64_t arena_bytes = 0;
  bool on_device = false; // the arena is the examiner's memory on the device; else the host's, copied in and out
};
struct loaded {
  answer how;
  std::map<std::string, kernel_facts> facts;
  int64_t load_ns = 0;
};

struct stage {
  resolved_plan plan;
  std::map<std::string, uint64_t> places; // buffer → offset in the arena
  uint64_t bytes = 0;                     // of the arena in use
  uint64_t rotation = 0;                  // where the arena begins this time
  uint64_t poison = 0;
  bool cold = false;
  bool records = false; // of the device's activities, which slow down what they record
};
struct staged {
  answer how;
};

struct go {
  bool plain = false; // the kernels and no more: for a profiler, which runs each as often as it likes
};
struct done {
  answer how;
  double event_ns = 0.0;
  double span_ns = 0.0;          // from the first kernel's start to the last one's end; 0: not recorded
  double work_ns = 0.0;          // of the device: the sweep and the kernels
  uint32_t kernels = 0;          // that were recorded
  std::vector<double> kernel_ns; // of each of them, in launch order; empty: not recorded
};

struct fetch {};
struct fetched {
  answer how;
  std::string broken_scratch; // whose guard was written
  bool strayed = false;       // something was written around the arena
};

// Known answer and bandwidths.
struct measure {};
struct measured {
  answer how;
  bool right = false;
  double copy_bytes_per_second = 0.0;
  double cached_bytes_per_second = 0.0;
  double event_floor_ns = 0.0; // two events around an empty kernel
};

template <class I>
typename I::result_type inspect(I& f, answer& x) {
  return f(x.status, x.name, x.phase, x.detail);
}
template <class I>
typename I::result_type inspect(I& f, open&) {
  return f();
}
template <class I>
typename I::result_type inspect(I& f, hello& x) {
  return f(x.how, x.facts, x.limits, x.l2_bytes, x.memory_bytes_per_second, x.clock_khz, x.pageable_access, x.ready_ns);
}
template <class I>
typename I::result_type inspect(I& f, load& x) {
  return f(x.modules, x.kernels, x.arena_bytes, x.on_device);
}
template <class I>
typename I::result_type inspect(I& f, loaded& x) {
  return f(x.how, x.facts, x.load_ns);
}
template <class I>
typename I::result_type inspect(I& f, stage& x) {
  return f(x.plan, x.places, x.bytes, x.rotation, x.poison, x.cold, x.records);
}
template <class I>
typename I::result_type inspect(I& f, staged& x) {
  return f(x.how);
}
template <class I>
typename I::result_type inspect(I& f, go& x) {
  return f(x.plain);
}
template <class I>
typename I::result_type inspect(I& f, done& x) {
  return f(x.how, x.event_ns, x.span_ns, x.work_ns, x.kernels, x.kernel_ns);
}
template <class I>
typename I::result_type inspect(I& f, fetch&) {
  return f();
}
template <class I>
typename I::result_type inspect(I& f, fetched& x) {
  return f(x.how, x.broken_scratch, x.strayed);
}
template <class I>
typename I::result_type inspect(I& f, measure&) {
  return f();
}
template <class I>
typename I::result_type inspect(I& f, measured& x) {
  return f(x.how, x.right, x.copy_bytes_per_second, x.cached_bytes_per_second, x.event_floor_ns);
}

} // namespace kevolve::cuda_wire

namespace kevolve {
template <class I>
typename I::result_type inspect(I& f, device_limits& x) {
  return f(x.name, x.capability, x.threads_per_block, x.block, x.grid, x.shared_opt_in, x.registers_per_block,
           x.cluster_blocks, x.cooperative, x.tensor_maps, x.multiprocessors, x.memory);
}
template <class I>
typename I::result_type inspect(I& f, kernel_facts& x) {
  return f(x.registers, x.static_shared, x.most_threads, x.cluster, x.block, x.parameters, x.parameters_known);
}
} // namespace kevolve
