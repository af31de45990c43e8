#include "actors/cluster/device_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kevolve {

namespace {

// The rates of the judges' probes: of a core, and of a GPU.
constexpr std::array<std::string_view, 4> compared{"peak.flops_per_s", "peak.l1_bytes_per_s", "copy_bytes_per_second",
                                                   "cached_bytes_per_second"};
constexpr size_t shown_digits = 12; // of a fingerprint

std::string number(double x) {
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%.3g", x);
  return out.data();
}

} // namespace

std::map<std::string, double> device_rates(const std::map<std::string, std::string>& evidence) {
  std::map<std::string, double> out;
  for (const auto name : compared)
    if (const auto text = evidence.find(std::string{name}); text != evidence.end())
      if (const auto rate = std::strtod(text->second.c_str(), nullptr); std::isfinite(rate) && rate > 0.0)
        out[text->first] = rate;
  return out;
}

std::map<std::string, double> lowest_rates(const std::vector<device_reading>& all, const std::string& announced) {
  std::map<std::string, double> out;
  for (const auto& reading : all)
    if (reading.announced == announced)
      for (const auto& [name, rate] : reading.figures) {
        auto& lowest = out.emplace(name, rate).first->second;
        lowest = std::min(lowest, rate);
      }
  return out;
}

std::string changed_fingerprint(const device_reading& reading) {
  if (reading.found == reading.announced)
    return {};
  return "device " + reading.device + " was announced with the fingerprint " + reading.announced.substr(0, shown_digits)
         + "… and has " + reading.found.substr(0, shown_digits) + "… now";
}

std::string differing_rate(const std::map<std::string, double>& measured,
                           const std::map<std::string, postgres::expected_figure>& expected) {
  for (const auto& [name, rate] : measured) {
    const auto known = expected.find(name);
    if (known == expected.end() || !(known->second.value > 0.0))
      continue;
    const auto ratio = rate / known->second.value;
    if (ratio <= device_tolerance && ratio >= 1.0 / device_tolerance)
      continue;
    const auto whose = known->second.of_nodes == 0 ? std::string{"earlier this node measured"}
                       : known->second.of_nodes == 1
                           ? std::string{"another node with this fingerprint measured"}
                           : std::to_string(known->second.of_nodes) + " nodes with this fingerprint measured";
    return name + " is " + number(rate) + ", and " + whose + " " + number(known->second.value) + ": beyond a factor of "
           + number(device_tolerance);
  }
  return {};
}

} // namespace kevolve
