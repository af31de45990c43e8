#include "backends/cpu/profile/mca_report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using nlohmann::json;

// Rounds that take this many times what the units need wait for results.
constexpr double waiting = 1.15;
constexpr double nearly_all = 0.9;

// One character of any value, behind the group's name, distinguishes the units of a group.
std::string printable_unit(std::string name) {
  if (!name.empty() && static_cast<unsigned char>(name.back()) < ' ')
    name.back() = static_cast<char>('0' + name.back());
  return name;
}

} // namespace

std::string mca_report::bottleneck() const {
  if (cycles > waiting * throughput_cycles)
    return "dependency";
  const auto dispatch = dispatch_width > 0.0 ? micro_operations / dispatch_width : 0.0;
  return busiest_cycles >= nearly_all * throughput_cycles && busiest_cycles >= dispatch ? "port" : "dispatch";
}

result<mca_report> parse_mca(const std::string& json_text) {
  const auto all = json::parse(json_text, nullptr, false);
  mca_report out;
  try {
    const auto& region = all.at("CodeRegions").at(0);
    const auto& summary = region.at("SummaryView");
    const auto& target = all.at("TargetInfo");
    out.processor = target.at("CPUName").get<std::string>();
    const auto rounds = summary.at("Iterations").get<double>();
    out.cycles = summary.at("TotalCycles").get<double>() / rounds;
    out.throughput_cycles = summary.at("BlockRThroughput").get<double>();
    out.micro_operations = summary.at("TotaluOps").get<double>() / rounds;
    out.dispatch_width = summary.at("DispatchWidth").get<double>();
    const auto instructions = region.at("Instructions").size();
    const auto& names = target.at("Resources");
    for (const auto& use : region.at("ResourcePressureView").at("ResourcePressureInfo"))
      if (use.at("InstructionIndex").get<size_t>() < instructions) // the last index is their sum
        out.ports[printable_unit(names.at(use.at("ResourceIndex").get<size_t>()).get<std::string>())] +=
            use.at("ResourceUsage").get<double>();
  } catch (const json::exception& e) {
    return fail(errc::protocol, std::string{"llvm-mca's answer cannot be read: "} + e.what());
  }
  for (const auto& [name, cycles] : out.ports)
    if (cycles > out.busiest_cycles) {
      out.busiest = name;
      out.busiest_cycles = cycles;
    }
  return out;
}

} // namespace kevolve
