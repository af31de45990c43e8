// Hardware counters of a call by perf_event_open. The counters are opened here with `inherit`, start when the profiled
// program is executed, and are read twice, for many calls and for few: the difference is the calls' own. The slots of
// the pipeline are counted with them where the processor can.
#include "backends/cpu/performance_unit.hpp"
#include "backends/cpu/profile/counter_values.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/cpu/profile/plain_calls.hpp"
#include "backends/cpu/profile/profile_build.hpp"

#include <nlohmann/json.hpp>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

struct counter {
  const char* name;
  uint32_t type;
  uint64_t config;
};

constexpr uint64_t cache_event(uint64_t cache, uint64_t operation, uint64_t outcome) {
  return cache | (operation << 8U) | (outcome << 16U);
}
constexpr auto read_of = uint64_t{PERF_COUNT_HW_CACHE_OP_READ};
constexpr auto access_of = uint64_t{PERF_COUNT_HW_CACHE_RESULT_ACCESS};
constexpr auto miss_of = uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS};

constexpr std::array counters{
    counter{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    counter{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    counter{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    counter{"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    counter{"front_end_stalls", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    counter{"back_end_stalls", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    counter{"l1_loads", PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_L1D, read_of, access_of)},
    counter{"l1_misses", PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_L1D, read_of, miss_of)},
    counter{"last_level_misses", PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_LL, read_of, miss_of)},
    counter{"tlb_misses", PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_DTLB, read_of, miss_of)},
};

class open_counter {
public:
  // `group`: of the counter that it counts together with; -1: none.
  explicit open_counter(const counter& c, int group = -1) {
    perf_event_attr what{};
    what.size = sizeof what;
    what.type = c.type;
    what.config = c.config;
    what.disabled = group < 0; // a group starts with its first counter
    what.inherit = 1;
    what.enable_on_exec = group < 0;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    what.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    fd_ = static_cast<int>(::syscall(SYS_perf_event_open, &what, 0, -1, group, PERF_FLAG_FD_CLOEXEC));
  }
  open_counter(open_counter&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  open_counter(const open_counter&) = delete;
  open_counter& operator=(const open_counter&) = delete;
  open_counter& operator=(open_counter&&) = delete;
  ~open_counter() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  bool there() const { return fd_ >= 0; }
  int descriptor() const { return fd_; }
  // Returns the scaled count; -1 if it never ran.
  double read() const {
    std::array<uint64_t, 3> values{};
    const bool whole = ::read(fd_, values.data(), sizeof values) == static_cast<ssize_t>(sizeof values);
    return whole ? scaled_count(values) : -1.0;
  }

private:
  int fd_ = -1;
};

availability available(const pass_request&) {
  if (auto clang = profile_builds_available(); !clang.available)
    return clang;
  if (auto why = counters_obstacle(); !why.empty())
    return {false, std::move(why), counters_remedy()};
  return {};
}

result<counter_values> count_run(const pass_request& q, const call_plan& plan, const top_down_events& top_down) {
  std::vector<open_counter> open;
  std::vector<std::string> names;
  for (const auto& c : counters) {
    open.emplace_back(c);
    names.emplace_back(c.name);
  }
  int first = -1;
  for (const auto& e : top_down.events) {
    open.emplace_back(counter{e.name.c_str(), e.type, e.config}, e.with_first ? first : -1);
    names.push_back(slot_prefix + e.name);
    if (!e.with_first)
      first = open.back().descriptor();
  }
  if (auto ran = run_calls(q, plan); !ran)
    return tl::unexpected(ran.error());
  counter_values out;
  for (size_t i = 0; i < open.size(); ++i)
    if (open[i].there())
      if (const auto x = open[i].read(); x >= 0.0)
        out[names[i]] = x;
  return out;
}

result<pass_result> run(const pass_request& q) {
  auto plain = run_plain_calls(q, 50);
  if (!plain)
    return tl::unexpected(plain.error());
  constexpr double wanted_ns = 3e8;
  const auto calls = static_cast<uint64_t>(std::clamp(wanted_ns / std::max(plain->call_ns, 1.0), 3.0, 1e7));
  auto few = plain->plan;
  few.samples = 1;
  few.warm = 0;
  few.repeats = 1;
  auto many = few;
  many.repeats = calls + 1;
  const auto top_down = top_down_of(performance_unit_of(q.core));
  const auto base = count_run(q, few, top_down);
  const auto whole = count_run(q, many, top_down);
  if (!base || !whole)
    return tl::unexpected(base ? whole.error() : base.error());
  const auto of_call = counters_of_call(*base, *whole, static_cast<double>(calls), top_down.slots_a_cycle);
  nlohmann::json out = of_call.counts;
  if (!of_call.top_down.empty())
    out["top_down"] = of_call.top_down;
  pass_result made;
  made.made[artefact_kind::counters] = out.dump();
  return made;
}

} // namespace

profile_pass cpu_counters_pass() {
  profile_pass p;
  p.name = "cpu.counters";
  p.summary =
      "hardware counters of a call: cycles, instructions, caches, TLB, branch misses, shares of the pipeline's slots";
  p.targets = {"cpu"};
  p.reads = {artefact_kind::source};
  p.uses = {artefact_kind::evidence};
  p.makes = {artefact_kind::counters};
  p.use = pass_use::core;
  p.available = available;
  p.estimate_s = [](const pass_request&) { return 1.2; };
  p.run = run;
  p.version = 2;
  return p;
}

} // namespace kevolve
