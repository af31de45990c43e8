#include "backends/cpu/profile/loop_times.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

std::vector<size_t> loops_to_time(const call_answer& counts, double call_ns) {
  std::vector<size_t> out;
  for (size_t i = 0; i < counts.loops.size(); ++i) {
    const auto entries = static_cast<double>(counts.loops[i].entries) / static_cast<double>(counts.calls);
    if (entries > 0.0 && call_ns / entries >= shortest_timed_ns)
      out.push_back(i);
  }
  return out;
}

std::string probe_request_of(const std::vector<size_t>& loops) {
  std::string out = "time ";
  for (const auto i : loops)
    out += (out.back() == ' ' ? "" : ",") + std::to_string(i);
  return out + ";";
}

loop_report loop_times(const call_answer& probed, const std::vector<size_t>& timed) {
  loop_report out;
  const auto calls = static_cast<double>(probed.calls);
  const auto per_call = calls * probed.ticks_per_ns;
  for (size_t i = 0; i < probed.loops.size(); ++i) {
    const auto& l = probed.loops[i];
    loop_time t;
    t.loop = l;
    const auto entries = static_cast<double>(l.entries);
    t.entries = entries / calls;
    t.trips = l.entries == 0 ? 0.0 : static_cast<double>(l.rounds) / entries;
    if (std::find(timed.begin(), timed.end(), i) != timed.end() && l.entries > 0) {
      const auto probes = entries * probed.clock_own + static_cast<double>(l.nested) * probed.clock_pair;
      t.ns = std::max(0.0, static_cast<double>(l.ticks) - probes) / per_call;
      t.timed = t.ns / t.entries >= shortest_timed_ns;
      const auto outside = l.ticks == 0 ? 0.0 : static_cast<double>(l.outermost) / static_cast<double>(l.ticks);
      out.outermost_ns += t.ns * outside;
    }
    t.self_ns = t.ns;
    out.loops.push_back(t);
  }
  for (const auto& t : out.loops)
    if (t.loop.parent >= 0 && t.timed) {
      auto& around = out.loops[static_cast<size_t>(t.loop.parent)];
      around.self_ns = std::max(0.0, around.self_ns - t.ns);
    }
  return out;
}

std::string loops_artefact(const loop_report& report, double call_ns, double probed_call_ns, size_t array_bytes,
                           double cycle_ns) {
  auto loops = nlohmann::json::array();
  for (const auto& t : report.loops) {
    nlohmann::json l{{"line", t.loop.line},   {"last", t.loop.last},     {"column", t.loop.column},
                     {"depth", t.loop.depth}, {"parent", t.loop.parent}, {"function", t.loop.function},
                     {"entries", t.entries},  {"trips", t.trips}};
    if (t.timed) {
      l["ns"] = t.ns;
      l["self_ns"] = t.self_ns;
    }
    loops.push_back(std::move(l));
  }
  return nlohmann::json{{"call_ns", call_ns},
                        {"probed_call_ns", probed_call_ns},
                        {"outermost_ns", report.outermost_ns},
                        {"array_bytes", array_bytes},
                        {"cycle_ns", cycle_ns},
                        {"loops", std::move(loops)}}
      .dump();
}

} // namespace kevolve
