#include "backends/cpu/performance_unit.hpp"

#include "backends/host_machine.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

// The kernel's names of Intel's events, in groups with "slots", beside ours.
constexpr std::array<std::pair<const char*, const char*>, 9> intel_events{
    {{"slots", "slots"},
     {"topdown-retiring", "retiring"},
     {"topdown-bad-spec", "bad_speculation"},
     {"topdown-fe-bound", "front_end"},
     {"topdown-be-bound", "back_end"},
     {"topdown-fetch-lat", "fetch_latency"},
     {"topdown-br-mispredict", "branch_mispredicts"},
     {"topdown-mem-bound", "memory_bound"},
     {"topdown-heavy-ops", "heavy_operations"}}};

constexpr uint64_t amd(uint64_t event, uint64_t umask) {
  return (event & 0xffU) | (umask << 8U) | ((event >> 8U) << 32U);
}

// Returns AMD's "pipeline utilization" of Zen 4 and Zen 5 (as in Linux,
// tools/perf/pmu-events/arch/x86/amdzen4/pipeline.json).
top_down_events of_zen(uint32_t type, double slots_a_cycle) {
  top_down_events out;
  out.slots_a_cycle = slots_a_cycle;
  out.events = {{"cycles", type, amd(0x76, 0), false},
                {"no_front_end", type, amd(0x1a0, 0x01), false},
                {"back_end_stalls", type, amd(0x1a0, 0x1e), false},
                {"dispatched", type, amd(0xaa, 0x07), false},
                {"retired", type, amd(0xc1, 0), false},
                {"waits_for_load", type, amd(0xd6, 0xa2), false},
                {"waits", type, amd(0xd6, 0x02), false}};
  return out;
}

double count_of(const std::map<std::string, double>& counts, const char* name) {
  const auto found = counts.find(name);
  return found == counts.end() ? -1.0 : found->second;
}

std::map<std::string, double> shares_of_slots(const std::map<std::string, double>& counts, double slots) {
  std::map<std::string, double> out;
  for (const auto& [kernel, name] : intel_events)
    if (const auto x = count_of(counts, name); std::strcmp(name, "slots") != 0 && x >= 0.0)
      out[name] = std::clamp(x / slots, 0.0, 1.0);
  if (out.contains("back_end") && out.contains("memory_bound"))
    out["core_bound"] = std::max(0.0, out["back_end"] - out["memory_bound"]);
  return out;
}

std::map<std::string, double> shares_of_zen(const std::map<std::string, double>& counts, double slots) {
  const auto share = [&](double x) { return std::clamp(x / slots, 0.0, 1.0); };
  const auto retired = count_of(counts, "retired");
  const auto dispatched = count_of(counts, "dispatched");
  const auto front = count_of(counts, "no_front_end");
  const auto back = count_of(counts, "back_end_stalls");
  if (retired < 0.0 || dispatched < 0.0 || front < 0.0 || back < 0.0)
    return {};
  std::map<std::string, double> out{{"retiring", share(retired)},
                                    {"bad_speculation", share(dispatched - retired)},
                                    {"front_end", share(front)},
                                    {"back_end", share(back)}};
  const auto waits = count_of(counts, "waits");
  if (const auto loads = count_of(counts, "waits_for_load"); waits > 0.0 && loads >= 0.0) {
    out["memory_bound"] = out["back_end"] * std::min(1.0, loads / waits);
    out["core_bound"] = out["back_end"] - out["memory_bound"];
  }
  return out;
}

} // namespace

performance_unit performance_unit_of(int core, const std::string& devices) {
  performance_unit out;
  for (const auto* name : {"/cpu", "/cpu_core"}) { // the second on processors with two kinds of cores
    const auto folder = devices + name;
    const auto type = read_line(folder + "/type");
    if (type.empty())
      continue;
    out.there = true;
    out.type = static_cast<uint32_t>(std::strtoul(type.c_str(), nullptr, 10));
    std::error_code ec;
    for (const auto& e : fs::directory_iterator{folder + "/events", ec})
      out.events[e.path().filename().string()] = read_line(e.path().string());
    break;
  }
  out.vendor = processor_field(core, "vendor_id");
  out.family = static_cast<unsigned>(std::strtoul(processor_field(core, "cpu family").c_str(), nullptr, 10));
  out.model = static_cast<unsigned>(std::strtoul(processor_field(core, "model").c_str(), nullptr, 10));
  return out;
}

uint64_t event_config(const std::string& text) {
  uint64_t out = 0;
  std::istringstream in{text};
  for (std::string part; std::getline(in, part, ',');) {
    const auto at = part.find('=');
    const auto value = at == std::string::npos ? 0 : std::strtoull(part.c_str() + at + 1, nullptr, 0);
    if (part.starts_with("event="))
      out |= value;
    else if (part.starts_with("umask="))
      out |= value << 8U;
    else
      return 0;
  }
  return out;
}

top_down_events top_down_of(const performance_unit& unit) {
  top_down_events out;
  if (!unit.there) {
    out.missing = "the kernel shows no unit of this processor that counts";
    return out;
  }
  for (const auto& [kernel, name] : intel_events)
    if (const auto found = unit.events.find(kernel); found != unit.events.end())
      if (const auto config = event_config(found->second); config != 0)
        out.events.push_back({name, unit.type, config, !out.events.empty()});
  if (!out.events.empty() && out.events.front().name == "slots")
    return out;
  out.events.clear();
  constexpr unsigned zen3_and_4 = 0x19;
  constexpr unsigned zen5 = 0x1a;
  const bool is_zen4 = unit.family == zen3_and_4
                       && ((unit.model >= 0x10 && unit.model <= 0x1f) || (unit.model >= 0x60 && unit.model <= 0x7f)
                           || (unit.model >= 0xa0 && unit.model <= 0xaf));
  if (unit.vendor == "AuthenticAMD" && is_zen4)
    return of_zen(unit.type, 6.0);
  if (unit.vendor == "AuthenticAMD" && unit.family == zen5)
    return of_zen(unit.type, 8.0);
  out.missing = "this processor counts no slots of its pipeline (Intel since Ice Lake and AMD since Zen 4 do)";
  return out;
}

std::map<std::string, double> top_down_shares(const std::map<std::string, double>& counts, double slots_a_cycle) {
  const auto slots = slots_a_cycle > 0.0 ? slots_a_cycle * count_of(counts, "cycles") : count_of(counts, "slots");
  if (slots <= 0.0)
    return {};
  return slots_a_cycle > 0.0 ? shares_of_zen(counts, slots) : shares_of_slots(counts, slots);
}

std::string counters_obstacle() {
  perf_event_attr what{};
  what.size = sizeof what;
  what.type = PERF_TYPE_HARDWARE;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  const auto fd = static_cast<int>(::syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd >= 0) {
    ::close(fd);
    return {};
  }
  if (errno == EACCES || errno == EPERM)
    return "perf_event_paranoid=" + read_line("/proc/sys/kernel/perf_event_paranoid")
           + " or a filter of system calls forbids hardware counters";
  return "this machine shows no hardware counters (" + std::string{std::strerror(errno)}
         + "): a virtual machine whose host passes none on";
}

std::string counters_remedy() {
  return std::atoi(read_line("/proc/sys/kernel/perf_event_paranoid").c_str()) > 2
             ? "sysctl kernel.perf_event_paranoid=2"
             : "a machine, or a guest, whose processor shows its counters";
}

} // namespace kevolve
