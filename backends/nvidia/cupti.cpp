#include "backends/nvidia/cupti.hpp"

#include "backends/nvidia/dynamic_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace kevolve::cuda {

namespace {

constexpr int kind_concurrent_kernel = 10;
constexpr size_t buffer_bytes = 1U << 20U;
constexpr size_t buffer_align = 8;

// The head of CUpti_ActivityKernel*, identical in all versions since CUDA 11.
struct kernel_record {
  uint32_t kind;
  uint8_t cache_config;
  uint8_t shared_config;
  uint16_t registers;
  uint32_t global_cache_requested;
  uint32_t global_cache_executed;
  uint64_t start;
  uint64_t end;
  uint64_t completed;
  uint32_t ids[3];
  int32_t extents[6];
  int32_t static_shared;
  int32_t dynamic_shared;
  uint32_t local_per_thread;
  uint32_t local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
};
static_assert(offsetof(kernel_record, start) == 16 && offsetof(kernel_record, name) == 104);

struct functions {
  int (*callbacks)(void (*request)(uint8_t**, size_t*, size_t*),
                   void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t)) = nullptr;
  int (*enable)(int kind) = nullptr;
  int (*disable)(int kind) = nullptr;
  int (*flush)(uint32_t flags) = nullptr;
  int (*next)(uint8_t* buffer, size_t bytes, kernel_record** record) = nullptr;
};

// Collects records. The library calls back from its own thread.
struct recorder {
  functions call;
  std::mutex lock;
  std::vector<kernel_activity> seen;
  bool on = false;
};

recorder& the_recorder() {
  static recorder r;
  return r;
}

void give_buffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(buffer_align, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

void take_buffer(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  auto& r = the_recorder();
  kernel_record* record = nullptr;
  const std::lock_guard guard{r.lock};
  while (r.call.next(buffer, valid, &record) == 0)
    if (record->kind == kind_concurrent_kernel)
      r.seen.push_back({record->start, record->end, record->name == nullptr ? "" : record->name});
  std::free(buffer);
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

dynamic_library load_cupti() {
  const auto named = from_environment("KEVOLVE_CUPTI");
  if (!named.empty())
    return dynamic_library{named};
  return dynamic_library{"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so",
                         "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", "/usr/local/cuda/lib/libcupti.so"};
}

tl::unexpected<failure> without(const dynamic_library& library) {
  return fail(errc::unsupported,
              "no libcupti (" + library.why()
                  + "): times come from events alone; install the toolkit's CUPTI or name it in KEVOLVE_CUPTI");
}

} // namespace

result<std::string> find_cupti() {
  const auto library = load_cupti();
  if (!library)
    return without(library);
  return library.name();
}

result<std::string> start_activities() {
  auto library = load_cupti();
  if (!library)
    return without(library);
  auto& call = the_recorder().call;
  library.find(call.callbacks, "cuptiActivityRegisterCallbacks");
  library.find(call.enable, "cuptiActivityEnable");
  library.find(call.disable, "cuptiActivityDisable");
  library.find(call.flush, "cuptiActivityFlushAll");
  library.find(call.next, "cuptiActivityGetNextRecord");
  if (!library.missing().empty())
    return fail(errc::unsupported, library.name() + " has no " + library.missing());
  if (const auto s = call.callbacks(give_buffer, take_buffer); s != 0)
    return fail(errc::unsupported, library.name() + ": error " + std::to_string(s));
  if (const auto s = call.enable(kind_concurrent_kernel); s != 0)
    return fail(errc::unsupported, library.name() + ": kernels cannot be recorded, error " + std::to_string(s));
  the_recorder().on = true;
  return library.name();
}

void record_activities(bool on) {
  auto& r = the_recorder();
  if (r.call.flush == nullptr || on == r.on)
    return;
  r.on = (on ? r.call.enable(kind_concurrent_kernel) : r.call.disable(kind_concurrent_kernel)) == 0 ? on : r.on;
}

std::vector<kernel_activity> take_activities() {
  auto& r = the_recorder();
  if (r.call.flush == nullptr)
    return {};
  r.call.flush(1);
  std::vector<kernel_activity> out;
  {
    const std::lock_guard guard{r.lock};
    out.swap(r.seen);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return out;
}

} // namespace kevolve::cuda
