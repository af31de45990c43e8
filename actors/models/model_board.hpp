// Shows which providers may be asked and the spending of campaigns. Campaigns read it before they choose a step for a
// model. Callable from any thread.
#pragma once

#include "actors/messages/exchange_records.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

class model_board {
public:
  // `names` are all providers of the node, in the order of its settings. `unpriced` are those whose calls have no known
  // price.
  explicit model_board(std::vector<std::string> names = {}, std::set<std::string> unpriced = {})
      : names_(std::move(names)), unpriced_(std::move(unpriced)) {}

  const std::vector<std::string>& names() const { return names_; }
  const std::set<std::string>& unpriced() const { return unpriced_; }

  // Sets the providers that may not be asked, with the reasons. Calls the listeners if the set of providers changes.
  void hold(std::map<std::string, std::string> all) {
    std::vector<std::function<void()>> told;
    {
      std::lock_guard lock{guard_};
      const auto same = std::equal(all.begin(), all.end(), held_.begin(), held_.end(),
                                   [](const auto& a, const auto& b) { return a.first == b.first; });
      held_ = std::move(all);
      for (const auto& [campaign, f] : listeners_)
        if (!same)
          told.push_back(f);
    }
    for (const auto& f : told)
      f();
  }
  // Calls `changed`, on any thread, after each change of that set.
  void listen(const id128& campaign, std::function<void()> changed) const {
    std::lock_guard lock{guard_};
    listeners_[campaign] = std::move(changed);
  }
  // Forgets a campaign that has ended.
  void leave(const id128& campaign) const {
    std::lock_guard lock{guard_};
    if (listeners_.erase(campaign) != 0)
      left_.insert(campaign);
    ended_.erase(campaign);
    spent_out_.erase(campaign);
  }
  // Returns why none of these providers may be asked; empty if one may. Without names, all of the node's count.
  std::string held(const std::vector<std::string>& wanted) const {
    std::lock_guard lock{guard_};
    std::string out;
    for (const auto& name : wanted.empty() ? names_ : wanted) {
      const auto r = held_.find(name);
      if (r == held_.end())
        return {};
      out += (out.empty() ? "" : "; ") + name + ": " + r->second;
    }
    return out;
  }

  // Returns the campaigns that have left since the last call.
  std::set<id128> take_left() const {
    std::lock_guard lock{guard_};
    return std::exchange(left_, {});
  }

  // Records the end of a call if its campaign listens; take_ended() returns these events.
  void ended(const call_event& e) {
    std::lock_guard lock{guard_};
    if (listeners_.contains(e.id.campaign))
      ended_[e.id.campaign].push_back(e);
  }
  std::vector<call_event> take_ended(const id128& campaign) const {
    std::lock_guard lock{guard_};
    auto taken = ended_.extract(campaign);
    return taken ? std::move(taken.mapped()) : std::vector<call_event>{};
  }
  // Records that a campaign's budget has no room for another call.
  void spent_out(const id128& campaign, const std::string& reason) {
    std::lock_guard lock{guard_};
    spent_out_[campaign] = reason;
  }
  std::string spent_out(const id128& campaign) const {
    std::lock_guard lock{guard_};
    const auto s = spent_out_.find(campaign);
    return s == spent_out_.end() ? std::string{} : s->second;
  }

private:
  const std::vector<std::string> names_;
  const std::set<std::string> unpriced_;
  mutable std::mutex guard_;
  std::map<std::string, std::string> held_;
  mutable std::map<id128, std::function<void()>> listeners_;
  mutable std::set<id128> left_;
  mutable std::map<id128, std::vector<call_event>> ended_;
  mutable std::map<id128, std::string> spent_out_;
};

} // namespace kevolve
