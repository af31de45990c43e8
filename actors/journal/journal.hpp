// The journal actor: the only writer of the store, on a thread of its own.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "store/store.hpp"

#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace kevolve {

// The ruling of a hook on a transaction, which the journal follows.
struct journal_ruling {
  failure refusal;     // errc::none: it is not refused
  bool stored = false; // it is in the store already: only its answer was lost
};

// Hooks run with each group that is written, on the journal's thread. Either may be empty.
struct journal_hooks {
  // Called before the group is written, with the campaign of each transaction. Returns a ruling for each.
  std::function<std::vector<journal_ruling>(const std::vector<id128>& campaigns, const std::vector<transaction>& group)>
      before;
  // Called once the group is written.
  std::function<void(const std::vector<transaction>& group)> after;
};

struct journal_state {
  static inline const char* name = "journal";

  actor_status_ptr own_status;
  std::shared_ptr<store> data;
  journal_hooks hooks;
  uint64_t reserve = 0;                              // with fewer bytes of free disk space nothing is written
  std::chrono::steady_clock::time_point roomy_until; // the disk space is not checked before
  // Requests gathered since the last flush, and their promises.
  std::vector<transaction> group;
  std::vector<id128> campaigns; // of each
  bool all_may_lag = true;      // all requests of the group may lag
  std::vector<caf::typed_response_promise<uint64_t>> waiting;
  bool flush_due = false;
  // The last refusal in the log, and the number of equal ones not logged since.
  errc told = errc::none;
  int64_t told_at_ns = 0;
  uint64_t untold = 0;

  ~journal_state();
};

// Answer a lookup of many values and a scan without the actor, for callers on a thread that may wait for the disk.
result<std::vector<stored_value>> look_up(const store& data, std::vector<stored_value> wanted);
result<std::vector<stored_value>> scan_rows(const store& data, const std::string& family, const std::string& prefix,
                                            uint32_t limit);

// Spawn it detached. The store outlives restarts of the actor, so the directory stays locked.
journal_actor::behavior_type journal(journal_actor::stateful_pointer<journal_state> self, actor_status_ptr own_status,
                                     std::shared_ptr<store> data, uint64_t reserve = 0, journal_hooks hooks = {});

} // namespace kevolve
