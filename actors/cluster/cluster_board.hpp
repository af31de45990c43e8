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
  // `absent`: by target, which nodes offer its judge and get no jobs now.
  void show(std::map<resource_class, uint32_t> capacity, std::map<std::string, std::string> absent) {
    const std::lock_guard lock{guard_};
    capacity_ = std::move(capacity);
    absent_ = std::move(absent);
    seen_ = true;
  }
  // PostgreSQL is away: nothing is known.
  void forget() {
    const std::lock_guard lock{guard_};
    capacity_.clear();
    seen_ = false;
  }
  // Sets why PostgreSQL does not answer; empty: it answers.
  void set_away(std::string why) {
    const std::lock_guard lock{guard_};
    away_ = std::move(why);
  }
  // Returns why other nodes cannot be asked now; empty: they can.
  std::string away() const {
    const std::lock_guard lock{guard_};
    return away_;
  }
  // Returns why no other node judges candidates of the target with this judge now; empty: one does, or it is not known.
  // `device` is the fingerprint that it must have; empty: any.
  std::string nobody_judges(const std::string& target, const std::string& harness, const std::string& device) const {
    const auto wanted = device.empty() ? usual_device(target, harness) : device;
    const auto many = wanted.empty() ? 0 : slots({job_kind::judge, target, judge_hardware(wanted, harness)});
    const std::lock_guard lock{guard_};
    if (!seen_ || many > 0)
      return {};
    const auto known = absent_.find(target);
    return "none of them is there for target " + target
           + (device.empty() ? "" : " with the device that the campaign began with, '" + device + "'")
           + (known == absent_.end() ? "" : ": " + known->second);
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
  std::map<std::string, std::string> absent_;
  bool seen_ = false; // the cluster's nodes are known
  std::string away_;
};

} // namespace kevolve
