// The campaigns of the cluster that live on other nodes, for readers on any thread.
#pragma once

#include "runtime/base/ids.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

class campaign_homes {
public:
  // Replaces all that is known. The words say where each campaign lives, for a person.
  void show(std::map<id128, std::string> elsewhere) {
    const std::lock_guard lock{guard_};
    elsewhere_ = std::move(elsewhere);
  }
  // Changes nothing if it is known where the campaign lives.
  void add(const id128& campaign, std::string where) {
    const std::lock_guard lock{guard_};
    elsewhere_.emplace(campaign, std::move(where));
  }
  // The campaign lives here.
  void remove(const id128& campaign) {
    const std::lock_guard lock{guard_};
    elsewhere_.erase(campaign);
  }
  // Returns where the campaign lives; empty: here, or nobody knows it.
  std::string elsewhere(const id128& campaign) const {
    const std::lock_guard lock{guard_};
    const auto found = elsewhere_.find(campaign);
    return found == elsewhere_.end() ? std::string{} : found->second;
  }
  std::map<id128, std::string> all() const {
    const std::lock_guard lock{guard_};
    return elsewhere_;
  }

private:
  mutable std::mutex guard_;
  std::map<id128, std::string> elsewhere_;
};

} // namespace kevolve
