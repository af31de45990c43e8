#include "backends/cpu/judge/core_sensors.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace kevolve;

namespace {

// A fake /sys tree.
struct made_up_sys {
  made_up_sys() {
    auto pattern = (std::filesystem::temp_directory_path() / "kevolve-sys-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  made_up_sys(const made_up_sys&) = delete;
  made_up_sys& operator=(const made_up_sys&) = delete;
  ~made_up_sys() { std::filesystem::remove_all(path); }
  void put(const std::string& file, const std::string& text) const {
    const auto where = path + "/" + file;
    std::filesystem::create_directories(std::filesystem::path{where}.parent_path());
    std::ofstream{where} << text << "\n";
  }
  std::string path;
};

} // namespace

TEST_CASE("a machine without core sensors has no sample") {
  const made_up_sys sys;
  const auto s = core_sensors{1, sys.path}.read();
  CHECK(s.time_ns == 0);
  CHECK(s.clocks_mhz.empty());
  CHECK_FALSE(s.celsius);
}

TEST_CASE("the clock is the core's own, the temperature its processor's") {
  const made_up_sys sys;
  sys.put("devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2904321");
  sys.put("devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "800000");
  sys.put("class/hwmon/hwmon0/name", "nvme");
  sys.put("class/hwmon/hwmon0/temp1_input", "30000");
  sys.put("class/hwmon/hwmon1/name", "k10temp");
  sys.put("class/hwmon/hwmon1/temp1_input", "61250");
  const core_sensors sensors{1, sys.path};
  auto s = sensors.read();
  CHECK(s.time_ns > 0);
  CHECK(s.clocks_mhz == std::map<std::string, uint32_t>{{"core", 2'904}});
  CHECK(s.celsius == 61);
  CHECK_FALSE(s.milliwatts);
  CHECK_FALSE(s.foreign_processes);
  // Either sensor may disappear.
  std::filesystem::remove(sys.path + "/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq");
  s = sensors.read();
  CHECK(s.time_ns > 0);
  CHECK(s.clocks_mhz.empty());
  CHECK(s.celsius == 61);
}

TEST_CASE("with several processors, the sensor that names the core's is used, else none") {
  const made_up_sys sys;
  sys.put("devices/system/cpu/cpu1/topology/physical_package_id", "1");
  for (const auto* n : {"0", "1"}) {
    const auto where = std::string{"class/hwmon/hwmon"} + n;
    sys.put(where + "/name", "coretemp");
    sys.put(where + "/temp1_label", std::string{"Package id "} + n);
    sys.put(where + "/temp1_input", std::string{n} + "5000");
  }
  CHECK(core_sensors{1, sys.path}.read().celsius == 15);
  sys.put("devices/system/cpu/cpu1/topology/physical_package_id", "7");
  CHECK_FALSE(core_sensors{1, sys.path}.read().celsius);
}
