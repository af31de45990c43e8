// The status of an actor as operators see it, while it runs and after it has ended. spawn_tracked() starts every actor
// and gives it one; its handlers mark their work with `handling`.
#pragma once

#include "runtime/base/log.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <caf/scheduled_actor.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// A copy of a status at one moment.
struct actor_status_view {
  uint64_t id = 0;      // the actor's id on this node
  std::string kind;     // "device"
  std::string name;     // "cpu:1"
  uint64_t parent = 0;  // id of the supervisor or owner; 0: the node itself
  std::string state;    // starting | idle | busy | dead, or a text of the actor's own
  std::string message;  // message in progress; empty: none
  int64_t since_ns = 0; // wall clock; time of the last change of state or message
  int64_t spawned_ns = 0;
  int64_t ended_ns = 0; // 0: still running
  uint64_t handled = 0;
  uint64_t in_flight = 0;   // requests accepted and not answered
  uint64_t mailbox = 0;     // length at the last message
  uint32_t restarts = 0;    // of this name, after failures
  std::string last_failure; // of this instance or the one before
  bool at_rest = false;     // its state is not work
  std::string awaits;       // the event outside this node for which it waits; empty: none
};

// Counts over all actors of a kind, including ended ones that are kept. They are updated with each change, so that
// reading them does not visit every actor.
struct kind_tally {
  std::atomic<int64_t> live{0};
  std::atomic<int64_t> busy{0};
  std::atomic<int64_t> restarts{0};
  std::atomic<int64_t> mailbox{0};
  std::atomic<int64_t> handled{0};
  std::atomic<int64_t> dead{0};
  std::atomic<int64_t> failed{0}; // of the ended ones
};

class actor_status_table;

class actor_status {
public:
  actor_status(std::shared_ptr<actor_status_table> table, std::shared_ptr<kind_tally> tally, actor_status_view first);

  // Records the start of a handler; `mailbox` is the length of the mailbox.
  void handling(std::string message, uint64_t mailbox);
  // Records the end of a handler.
  void handled();
  // Changes the number of requests in flight.
  void flight(int64_t change);
  // Sets the state to the actor's own text: "job 1f0c2a34".
  void says(std::string state);
  // Sets the state of an actor that has no work: "finished: budget".
  void rests(std::string state);
  // Sets the state of an actor that cannot work until an event outside this node: "waiting for core 1, held by …".
  void awaits(std::string state, std::string what);
  // Sets the subject of its work for the log: a campaign, or a node of one.
  void about(const std::string& campaign, const std::string& node = {});
  log::ids ids() const;
  // Records the actor's end; `cause` is from describe_end().
  void ended(const std::string& cause);
  // Sets the actor's id and counts it as live.
  void started_as(uint64_t id);
  actor_status_view view() const;
  const std::shared_ptr<actor_status_table>& table() const { return table_; }
  uint64_t id() const;
  const std::string& kind() const { return view_.kind; } // never changes

private:
  template <class F>
  void change(F f);

  mutable std::mutex guard_;
  bool counted_ = false; // counted in the tally as a live actor
  const std::shared_ptr<kind_tally> tally_;
  actor_status_view view_;
  log::ids about_;
  std::shared_ptr<actor_status_table> table_;
};

using actor_status_ptr = std::shared_ptr<actor_status>;

// The statuses of all actors of a node. Ended actors are kept up to a limit; then the oldest are forgotten, and
// forgotten() counts them.
class actor_status_table : public std::enable_shared_from_this<actor_status_table> {
public:
  explicit actor_status_table(size_t dead_kept = 2'000) : dead_kept_(dead_kept) {}

  // Makes the status of an actor that is about to be spawned. A supervised actor inherits failures of its name.
  actor_status_ptr open(std::string kind, std::string name, uint64_t parent);
  // Moves the status of an ended actor to the ended ones.
  void close(uint64_t id, const std::string& cause);
  // Adds the status of a spawned actor to the live ones.
  void opened(const actor_status_ptr& own_status, const caf::actor& who);
  // Returns the actor of a live status; invalid if there is none.
  caf::actor handle(uint64_t id) const;
  // Returns all live statuses, then the ended ones that are kept.
  std::vector<actor_status_view> list() const;
  // One page of the actors of that kind and state. An empty kind or state means any; else `state` is one of
  // asked_states(). Live actors come first, by id, then ended ones. The page has `limit` actors from the one at
  // `first`, and the total.
  struct page_of_statuses {
    std::vector<actor_status_view> items;
    uint64_t total = 0;
  };
  // Returns live | starting | idle | busy | dead. Busy is as in tallies; idle is neither busy nor starting.
  static const std::vector<std::string>& asked_states();
  static std::string state_of(const actor_status_view& v); // returns one of these states except live
  page_of_statuses page(const std::string& kind, const std::string& state, uint64_t first, uint64_t limit) const;
  // Finds a live actor, or an ended one that is kept.
  std::optional<actor_status_view> find(uint64_t id) const;
  // Returns the tallies by kind.
  std::map<std::string, std::shared_ptr<const kind_tally>> tallies() const;
  // Returns an event that actors of that kind wait for; empty unless every live one waits.
  std::string awaited(const std::string& kind) const;
  uint64_t forgotten() const;

private:
  struct history {
    uint32_t failures = 0;
    std::string last_failure;
  };
  mutable std::mutex guard_;
  size_t dead_kept_;
  uint64_t forgotten_ = 0;
  struct living {
    actor_status_ptr own_status;
    caf::weak_actor_ptr who; // weak: a status keeps no actor alive
  };
  std::map<uint64_t, living> live_;
  std::map<std::string, std::map<uint64_t, actor_status_ptr>> kinds_; // the statuses of live_
  std::map<std::string, std::shared_ptr<kind_tally>> tallies_;
  std::deque<actor_status_view> dead_;
  std::map<std::string, history> histories_; // by kind/name of supervised actors
};

// Marks a handler on the actor's status while it runs. Its log lines carry the ids of its subject.
class handling {
public:
  handling(caf::scheduled_actor* self, const actor_status_ptr& own_status, const char* message)
      : own_status_(own_status), scope_(own_status->ids()) {
    own_status_->handling(message, self->mailbox().size());
  }
  handling(const handling&) = delete;
  handling& operator=(const handling&) = delete;
  ~handling() { own_status_->handled(); }

private:
  const actor_status_ptr& own_status_;
  log::scope scope_;
};

// Makes an exception in a handler end the actor with errc::internal and its text, for its supervisor and status.
void report_exceptions(caf::scheduled_actor* self);

// Returns "stopped", or the failure in words.
std::string describe_end(const caf::error& reason);

// Spawns `fun(self, status, args...)` with a status of its own and watches for its end. `host` is an actor or the actor
// system.
template <caf::spawn_options Options = caf::no_spawn_options, class Host, class Fun, class... Ts>
auto spawn_tracked(Host& host, const std::shared_ptr<actor_status_table>& table, std::string kind, std::string name,
                   uint64_t parent, Fun fun, Ts&&... xs) {
  auto own_status = table->open(std::move(kind), std::move(name), parent);
  auto handle = host.template spawn<Options>(fun, own_status, std::forward<Ts>(xs)...);
  auto id = static_cast<uint64_t>(handle->id());
  table->opened(own_status, caf::actor_cast<caf::actor>(handle));
  handle->attach_functor([table, id](const caf::error& reason) { table->close(id, describe_end(reason)); });
  return handle;
}

} // namespace kevolve
