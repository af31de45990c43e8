// Pins results and objects of candidates in flight. No candidate's record names them yet, so garbage collection would
// otherwise delete them. A candidate is given by its campaign and its index there, `node`. Callable from any thread.
#pragma once

#include "runtime/base/ids.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

class pinned_results {
public:
  // Pins a key of the families `evaluations` or `blobs`, before it is looked up or written.
  void hold(const id128& campaign, uint64_t node, const std::string& key) {
    std::lock_guard lock{guard_};
    by_node_[{campaign, node}].push_back(key);
    ++holders_[key];
  }
  // Releases the pins of a candidate whose record is stored; does nothing if it has none.
  void release(const id128& campaign, uint64_t node) {
    std::lock_guard lock{guard_};
    drop(by_node_.find({campaign, node}));
  }
  // Releases the pins of a campaign whose actors are gone, with all that was in flight.
  void release(const id128& campaign) {
    std::lock_guard lock{guard_};
    for (auto i = by_node_.lower_bound({campaign, 0}); i != by_node_.end() && i->first.first == campaign;)
      i = drop(i);
  }
  // Keeps released pins from keep(true) to keep(false). Garbage collection may have read a candidate's record
  // before its last one was stored.
  void keep(bool on) {
    std::lock_guard lock{guard_};
    keeping_ = on;
    if (!on)
      for (const auto& key : std::exchange(kept_, {}))
        let_go(key);
  }
  // Returns f(is_held), called while no pin can be added. is_held(key) is true if the key is pinned. `f` must not call
  // this object.
  template <class F>
  auto while_held(F f) const {
    std::lock_guard lock{guard_};
    return f([this](const std::string& key) { return holders_.contains(key); });
  }

private:
  using nodes = std::map<std::pair<id128, uint64_t>, std::vector<std::string>>;

  nodes::iterator drop(nodes::iterator i) {
    if (i == by_node_.end())
      return i;
    for (auto& key : i->second)
      if (keeping_)
        kept_.push_back(std::move(key));
      else
        let_go(key);
    return by_node_.erase(i);
  }
  void let_go(const std::string& key) {
    if (const auto h = holders_.find(key); --h->second == 0)
      holders_.erase(h);
  }

  mutable std::mutex guard_;
  nodes by_node_;
  std::map<std::string, uint64_t> holders_;
  bool keeping_ = false;
  std::vector<std::string> kept_; // released since
};

} // namespace kevolve
