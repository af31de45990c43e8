#include "backends/cpu/judge/core_sensors.hpp"

#include "runtime/base/wall_clock.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

namespace kevolve {

namespace {

// Drivers whose first figure is the processor's own (Documentation/hwmon of Linux).
constexpr std::array<const char*, 4> processor_sensors{"coretemp", "k10temp", "zenpower", "cpu_thermal"};

std::string line_of(const std::string& path) {
  std::ifstream in{path};
  std::string out;
  std::getline(in, out);
  return out;
}

std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream in{path};
  int64_t out = 0;
  if (path.empty() || !(in >> out))
    return std::nullopt;
  return out;
}

// Returns the sensor of the core's own package: of several processors, the one that names it.
std::string temperature_file(const std::string& cpu, const std::string& sys) {
  std::vector<std::string> found;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator{sys + "/class/hwmon", ec})
    if (std::find(processor_sensors.begin(), processor_sensors.end(), line_of(entry.path().string() + "/name"))
        != processor_sensors.end())
      found.push_back(entry.path().string());
  const auto package = "Package id " + line_of(cpu + "/topology/physical_package_id");
  for (const auto& one : found)
    if (found.size() == 1 || line_of(one + "/temp1_label") == package)
      return one + "/temp1_input";
  return {};
}

} // namespace

core_sensors::core_sensors(int core, const std::string& sys) {
  const auto cpu = sys + "/devices/system/cpu/cpu" + std::to_string(core);
  clock_ = cpu + "/cpufreq/scaling_cur_freq";
  temperature_ = temperature_file(cpu, sys);
}

device_sample core_sensors::read() const {
  device_sample out;
  if (const auto khz = number_in(clock_); khz && *khz > 0)
    out.clocks_mhz["core"] = static_cast<uint32_t>(*khz / 1000);
  if (const auto thousandths = number_in(temperature_))
    out.celsius = static_cast<int32_t>(*thousandths / 1000);
  if (out.celsius || !out.clocks_mhz.empty())
    out.time_ns = wall_clock_ns();
  return out;
}

} // namespace kevolve
