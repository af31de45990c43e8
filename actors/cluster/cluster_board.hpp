// A node's knowledge of its cluster, for readers on any thread.
#pragma once

#include "actors/cluster/capacity.hpp"
#include "runtime/base/cluster_words.hpp"

#include <map>
#include <mutex>
#include <string>

namespace kevolve {

class cluster_board {
public:
  void show(std::map<resource_class, uint32_t> capacity) {
    const std::lock_guard lock{guard_};
    capacity_ = std::move(capacity);
  }
  // Empty: PostgreSQL answers.
  void set_away(std::string why) {
    const std::lock_guard lock{guard_};
    away_ = std::move(why);
  }
  // Returns why other nodes cannot be asked now; empty: they can.
  std::string away() const {
    const std::lock_guard lock{guard_};
    return away_;
  }
  // Returns the slots of a class on other nodes; 0: none.
  uint32_t slots(const resource_class& wanted) const {
    const std::lock_guard lock{guard_};
    const auto found = capacity_.find(wanted);
    return found == capacity_.end() ? 0 : found->second;
  }
  // Returns the device's fingerprint of the class of judges that most slots of other nodes have, for this target and
  // judge; empty: there is none.
  std::string usual_device(const std::string& target, const std::string& harness) const {
    const std::lock_guard lock{guard_};
    std::string best;
    uint32_t most = 0;
    for (const auto& [c, slots] : capacity_)
      if (c.kind == job_kind::judge && c.target == target && slots > most
          && c.hardware == judge_hardware(device_of(c.hardware), harness)) {
        best = device_of(c.hardware);
        most = slots;
      }
    return best;
  }

private:
  mutable std::mutex guard_;
  std::map<resource_class, uint32_t> capacity_;
  std::string away_;
};

} // namespace kevolve
