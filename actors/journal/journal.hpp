// The journal actor: the one writer of the store, on a thread of its own.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "store/store.hpp"

#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace kevolve {

struct journal_state {
  static inline const char* name = "journal";

  card_ptr card;
  std::shared_ptr<store> data;
  uint64_t reserve = 0;                              // bytes of free disk below which nothing is written
  std::chrono::steady_clock::time_point roomy_until; // no look at the disk before
  // Requests gathered since the last flush, and who waits for them.
  std::vector<transaction> group;
  bool all_may_lag = true; // of the group
  std::vector<caf::typed_response_promise<uint64_t>> waiting;
  bool flush_due = false;
  // The last refusal that the log tells of, and how many it has kept to itself since.
  errc told = errc::none;
  int64_t told_at_ns = 0;
  uint64_t untold = 0;

  ~journal_state();
};

// Spawn detached. The store outlives restarts of the actor, so the directory stays locked.
// What it answers to a lookup of many and to a scan, for who may wait for the disk on a thread of its own.
result<std::vector<stored_value>> look_up(const store& data, std::vector<stored_value> wanted);
result<std::vector<stored_value>> scan_rows(const store& data, const std::string& family, const std::string& prefix,
                                            uint32_t limit);

journal_actor::behavior_type journal(journal_actor::stateful_pointer<journal_state> self, card_ptr card,
                                     std::shared_ptr<store> data, uint64_t reserve = 0);

} // namespace kevolve
