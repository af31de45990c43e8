// The candidates that a campaign has in flight: their actors, what stood in their way, and which of them share a
// source. An `index` is a candidate's in the campaign's tree. Lives as long as one instance of the campaign; the fold
// knows what is open beyond that.
#pragma once

#include "runtime/base/ids.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kevolve {

class candidates_in_flight {
public:
  using verdict_promise = caf::typed_response_promise<uint64_t>;

  bool empty() const { return all_.empty(); }

  // Adds a candidate without an actor, or removes the actor of a known one; the actor follows.
  void expect(uint64_t index) { all_[index].actor = nullptr; }
  // Adds a candidate whose selection is not stored yet: until selected() nothing may be spent on it.
  void select(uint64_t index);
  // Notes that the candidate's selection is stored.
  void selected(uint64_t index);
  // Returns true between the two.
  bool is_selecting(uint64_t index) const;

  // Gives the candidate its actor.
  void attach(uint64_t index, caf::actor actor) { all_[index].actor = std::move(actor); }
  // Returns its actor; an empty handle if it has none.
  caf::actor actor_of(uint64_t index) const;
  // Returns the candidate whose actor that is, if one is.
  std::optional<uint64_t> index_of(const caf::actor_addr& actor) const;

  // Counts one more fault and returns how many there were before; the candidate's actor is gone.
  uint32_t count_fault(uint64_t index);
  // Returns the number of its faults; 0 for one that is not in flight.
  uint32_t faults(uint64_t index) const;

  // Removes a candidate with its faults; its source and promises stay until judged().
  void remove(uint64_t index) { all_.erase(index); }
  // Removes all of them and returns their actors.
  std::vector<caf::actor> release();

  // Returns the index of the candidate that is judged for all with the source of that id. It is `index` if none is yet,
  // or if is_open(the one so far) is false.
  template <class IsOpen>
  uint64_t judged_for(const id128& candidate, uint64_t index, IsOpen is_open) {
    auto& first = judging_.emplace(candidate, index).first->second;
    if (!is_open(first))
      first = index;
    return first;
  }
  // Keeps the promise until judged(index), after the verdict on that candidate is stored.
  void wait_for(uint64_t index, verdict_promise p) { waiting_[index].push_back(std::move(p)); }
  // Forgets the candidate's source and returns the promises that waited for its verdict.
  std::vector<verdict_promise> judged(uint64_t index);
  // Returns every promise that waits.
  std::vector<verdict_promise> take_waiting();

private:
  struct flight {
    caf::actor actor;
    bool selecting = false;
    uint32_t faults = 0;
  };
  std::map<uint64_t, flight> all_;
  std::map<id128, uint64_t> judging_;                        // by candidate: the first node with it
  std::map<uint64_t, std::vector<verdict_promise>> waiting_; // by that node
};

} // namespace kevolve
