// The latest record of each device, which outlives the device's actor. Callable from any thread.
#pragma once

#include "actors/messages/records.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kevolve {

// The evidence of a device's last passed probe.
struct device_measurement {
  uint64_t serial = 0; // rises with each probe of the device in this process
  std::map<std::string, std::string> evidence;
};

class device_board {
public:
  // Replaces the record of the device of that id, such as "cpu:1".
  void show(const std::string& device, device_record latest) {
    const std::lock_guard lock{guard_};
    latest_[device] = std::move(latest);
  }
  // Returns the device's latest record; nothing if none was shown in this process.
  std::optional<device_record> latest(const std::string& device) const {
    const std::lock_guard lock{guard_};
    const auto i = latest_.find(device);
    return i == latest_.end() ? std::nullopt : std::optional{i->second};
  }
  // Replaces the evidence of the device's last passed probe.
  void measured(const std::string& device, std::map<std::string, std::string> evidence) {
    const std::lock_guard lock{guard_};
    auto& m = measured_[device];
    ++m.serial;
    m.evidence = std::move(evidence);
  }
  // Returns nothing for a device that no probe has passed on.
  std::optional<device_measurement> measurement(const std::string& device) const {
    const std::lock_guard lock{guard_};
    const auto i = measured_.find(device);
    return i == measured_.end() ? std::nullopt : std::optional{i->second};
  }
  // Returns the latest records by device.
  std::map<std::string, device_record> all() const {
    const std::lock_guard lock{guard_};
    return latest_;
  }

private:
  mutable std::mutex guard_;
  std::map<std::string, device_record> latest_;
  std::map<std::string, device_measurement> measured_;
};

} // namespace kevolve
