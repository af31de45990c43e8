// One request on its way through the admin, with the callback for its answer. Handlers run in a short-lived actor, so
// that they can ask other actors without blocking a thread.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/cluster/cluster_messages.hpp"
#include "actors/devices/device_board.hpp"
#include "actors/evaluation/profiler_settings.hpp"
#include "actors/interfaces.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/admin/paging.hpp"
#include "runtime/node/admin/problem.hpp"

#include <caf/event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace kevolve::knowledge {
class document_shelf;
} // namespace kevolve::knowledge

namespace kevolve {

class router;
class http_counters;
class request_ledger;
class store;
struct call;
using call_ptr = std::shared_ptr<call>;

// The actors and data that handlers use. Lives as long as the admin.
struct api_context {
  campaigns_actor campaigns;
  journal_actor journal;
  scheduler_actor scheduler;
  relay_actor relay;       // null: this node has no relay
  models_actor models;     // null: no providers
  cluster_actor cluster;   // null: the node works alone
  skill_book_actor skills; // null: no skills
  std::shared_ptr<actor_status_table> statuses;
  std::shared_ptr<const device_board> devices = std::make_shared<device_board>();
  std::function<std::string()> broken; // returns why the node cannot go on, or an empty text
  std::function<std::string()> away;   // null, or returns why the cluster that this node needs cannot be asked
  std::string version;
  std::string openapi;
  bool offline = false; // no process runs the campaigns: statuses are folded from the events
  std::shared_ptr<http_counters> counters;
  std::shared_ptr<request_ledger> ledger; // null: nothing may be changed through this API
  std::shared_ptr<store> data;            // null likewise; for batches
  std::shared_ptr<const store> records;   // to read; null: none
  bool no_devices = false;                // no device of its targets can be reached, so the node is ready without one
  profiler_settings profilers;            // for profiles on request
  std::shared_ptr<knowledge::document_shelf> documents; // null: no documents
  std::shared_ptr<std::atomic<bool>> profiling = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<std::atomic<bool>> backing_up = std::make_shared<std::atomic<bool>>(false);
};

// Returns why the node cannot go on, or cannot change what the cluster keeps; empty: it can.
std::string why_not_ready(const api_context& context);

struct call : std::enable_shared_from_this<call> {
  std::shared_ptr<const api_context> context;
  api_request request;
  std::map<std::string, std::string> path;
  std::map<std::string, std::string> query;
  json body = json::object();
  api_done done;
  caf::event_based_actor* self = nullptr; // valid in handlers, except those of immediate routes
  caf::actor_system* system = nullptr;

  call() = default;
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  // A handler that ended without an answer has failed, and the request is answered with 500.
  ~call();

  // Answers the request; later answers are ignored.
  void reply(api_response response);
  void reply(const json& body);
  void reply_text(std::string text); // the text is JSON already
  void refuse(const problem& why);
  void refuse(const failure& why) { refuse(to_problem(why)); }

  // Return query parameters; the router has checked them.
  uint64_t integer(const std::string& name, uint64_t fallback) const;
  std::string text(const std::string& name) const;
  page_request page() const;
};

// Returns the name by which the requester calls itself: a label, not a credential.
std::string asker(const call_ptr& c);

// Time limit of an actor's answer to a changing request. A reading request has one limit for the whole answer
// (http_limits), because a timer for each question would cost more than the question.
inline constexpr std::chrono::seconds ask_limit{5};

// Calls `f`; if it throws, the request is answered with 500.
void guarded(const call_ptr& c, const std::function<void()>& f);
// Continues in an actor of the call's own. The actor is hidden: it lives for milliseconds, and its status would push
// those of other ended actors out of the table.
void in_actor(const call_ptr& c, std::function<void()> then);

// Asks an actor, then calls `then(Out&)` or `otherwise(failure)` in this call's actor.
template <class Out, class Handle, class Then, class Otherwise, class... Ts>
void ask_or(const call_ptr& c, const Handle& whom, Then then, Otherwise otherwise, Ts&&... xs) {
  if (c->self == nullptr) {
    in_actor(c, [c, whom, then, otherwise, ... xs = std::decay_t<Ts>(std::forward<Ts>(xs))] {
      ask_or<Out>(c, whom, then, otherwise, xs...);
    });
    return;
  }
  const auto limit = c->request.method == "GET" ? caf::duration{caf::infinite} : caf::duration{ask_limit};
  c->self->request(whom, limit, std::forward<Ts>(xs)...)
      .then([c, then](Out& out) { then(out); }, [c, otherwise](caf::error& e) { otherwise(to_failure(e)); });
}

// Asks an actor, then calls `then(Out&)`; a failure answers the request.
template <class Out, class Handle, class Then, class... Ts>
void ask(const call_ptr& c, const Handle& whom, Then then, Ts&&... xs) {
  ask_or<Out>(c, whom, std::move(then), [c](const failure& why) { c->refuse(why); }, std::forward<Ts>(xs)...);
}

// Calls `then` with every campaign's status.
void with_campaigns(const call_ptr& c, std::function<void(std::vector<campaign_status>&)> then);
// Calls `then` with the campaign that the digits name: 32 digits, or at least 4 that are unique. Otherwise the request
// is refused.
void with_campaign(const call_ptr& c, const std::string& digits, std::function<void(const campaign_status&)> then);
// Calls `then` with the campaign's id. A whole id is not looked up and may name no campaign.
void with_campaign_id(const call_ptr& c, const std::string& digits, std::function<void(const id128&)> then);
// Calls `then` with the campaign's actor, or `absent` if it is not running here.
void with_campaign_actor(const call_ptr& c, const id128& id, std::function<void(const campaign_actor&)> then,
                         std::function<void(const failure&)> absent);

// Calls `then` with the campaign's actor for a change. A campaign that has ended is refused, unless its budget ended it
// and the change may reopen it. In that case its actor is started again.
void with_steerable(const call_ptr& c, const campaign_status& s, bool may_reopen,
                    std::function<void(const campaign_actor&)> then);

// Says that a campaign has ended and cannot continue, and what a person can do instead.
std::string ended_text(const campaign_status& s);

// Returns the campaign that the digits name. errc::bad_input, errc::not_found; errc::conflict if several match.
result<campaign_status> find_campaign(const std::vector<campaign_status>& all, const std::string& digits);

} // namespace kevolve
