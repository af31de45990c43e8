// Measured ceilings of this machine: read and store rates and latency of each cache level, and peak arithmetic. Once a
// process: the cache of artefacts keeps them for others.
#include "backends/cpu/profile/memory_probes.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/host_machine.hpp"
#include "backends/judge/native/core_peaks.hpp"

#include <nlohmann/json.hpp>

#include <sched.h>

#include <algorithm>

namespace kevolve {

namespace {

// Runs the calling thread on one core for the life of this object.
class on_core {
public:
  explicit on_core(int core) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(core), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  on_core(const on_core&) = delete;
  on_core& operator=(const on_core&) = delete;
  ~on_core() { sched_setaffinity(0, sizeof before_, &before_); }

private:
  cpu_set_t before_{};
};

constexpr size_t most_measured = size_t{256} << 20U; // a larger cache counts as this large

result<std::string> measure(int core) {
  const on_core pinned{core};
  peak_meter meter{1};
  if (auto ok = meter.measure(); !ok)
    return tl::unexpected(ok.error());
  const auto peaks = meter.of_core();
  nlohmann::json out{{"flops_per_s", peaks.flops_per_second},
                     {"flops_per_s_f64", peaks.flops_per_second / 2},
                     {"cycle_ns", cycle_ns()}};
  size_t above = 0;
  size_t last = 0; // bytes at which the last cache's latency was measured
  auto facts = hardware_facts(core, 1);
  for (const auto& level : peaks.levels) {
    // The C library may name the cache of the whole socket where this core reaches a part of it.
    auto capacity = static_cast<size_t>(level.capacity_bytes);
    if (const auto known = facts["cache." + level.name]; known > 0 && capacity > 0)
      capacity = std::min(capacity, static_cast<size_t>(known));
    constexpr size_t beyond_caches = size_t{256} << 20U;
    // Half of the first level; of others, a size that the level above does not hold.
    const auto bytes = capacity == 0 ? beyond_caches : above == 0 ? capacity / 2 : std::min(4 * above, capacity);
    out[level.name + "_bytes_per_s"] = level.bytes_per_second;
    out[level.name + "_capacity"] = capacity;
    out[level.name + "_store_bytes_per_s"] = store_bytes_per_second(std::min(bytes, size_t{64} << 20U));
    out[level.name + "_latency_ns"] = load_latency_ns(bytes);
    last = level.name == "l3" ? bytes : last;
    above = capacity;
  }
  if (last > 0)
    out["l3_capacity"] =
        reached_capacity(last, std::min(out.value("l3_capacity", size_t{0}), most_measured),
                         out.value("l3_latency_ns", 0.0), out.value("dram_latency_ns", 0.0), load_latency_ns);
  return out.dump();
}

result<pass_result> run(const pass_request& q) {
  static const auto measured = measure(q.core);
  if (!measured)
    return tl::unexpected(measured.error());
  pass_result out;
  out.made[artefact_kind::ceilings] = *measured;
  return out;
}

} // namespace

profile_pass cpu_ceilings_pass() {
  profile_pass p;
  p.name = "cpu.ceilings";
  p.summary = "measured rates and latencies of each cache level, and peak arithmetic";
  p.targets = {"cpu"};
  p.makes = {artefact_kind::ceilings};
  p.version = 2;
  p.use = pass_use::core;
  p.estimate_s = [](const pass_request&) { return 0.8; };
  p.run = run;
  return p;
}

} // namespace kevolve
