// Compares what a node measures of its devices with what it has announced: pure functions.
#pragma once

#include "store/postgres/queue.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// A device's reading may be so many times smaller or larger than expected. Other work on the machine halves a rate;
// another kind of device, or a broken one, changes it by more.
inline constexpr double device_tolerance = 3.0;

// The latest measurement of a device that this node offers.
struct device_reading {
  std::string device;                    // "cpu:1"
  std::string announced;                 // fingerprint of device and judge, as the node offers it
  std::string found;                     // the same, of the device as it is now
  uint64_t serial = 0;                   // rises with each measurement; 0: not measured yet
  std::map<std::string, double> figures; // rates by name
};

// Returns the rates among the evidence of a judge's probe. Rates of memory that all cores share are left out: they
// depend on what else runs.
std::map<std::string, double> device_rates(const std::map<std::string, std::string>& evidence);

// Returns the readings of one fingerprint as one: of each rate the lowest, so that no device hides behind another.
std::map<std::string, double> lowest_rates(const std::vector<device_reading>& all, const std::string& announced);

// Returns why the device is another one than announced; empty if it is the same.
std::string changed_fingerprint(const device_reading& reading);
// Returns which rate differs from the expected one by more than the tolerance; empty if none does.
std::string differing_rate(const std::map<std::string, double>& measured,
                           const std::map<std::string, postgres::expected_figure>& expected);

} // namespace kevolve
