// One request on its way through the admin: who asked what, and the way back. Handlers run in a short-lived actor,
// so they ask other actors without blocking anybody.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/devices/device_board.hpp"
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

namespace kevolve {

class router;
class http_counters;
class request_ledger;
class store;
struct call;
using call_ptr = std::shared_ptr<call>;

// What the handlers may ask; lives as long as the admin.
struct api_context {
  campaigns_actor campaigns;
  journal_actor journal;
  scheduler_actor scheduler;
  relay_actor relay;   // none: nothing waits here
  models_actor models; // none: no providers
  std::shared_ptr<card_table> cards;
  std::shared_ptr<const device_board> devices = std::make_shared<device_board>();
  std::function<std::string()> broken; // empty while the node is well
  std::string version;
  std::string openapi;
  bool offline = false; // reads what no process runs: statuses come from the events
  std::shared_ptr<http_counters> counters;
  std::shared_ptr<request_ledger> ledger; // null: nothing may be changed through this
  std::shared_ptr<store> data;            // likewise; for batches
  bool no_devices = false;                // none of its targets' can be reached: it is ready without
  std::shared_ptr<std::atomic<bool>> backing_up = std::make_shared<std::atomic<bool>>(false);
};

struct call : std::enable_shared_from_this<call> {
  std::shared_ptr<const api_context> context;
  api_request request;
  std::map<std::string, std::string> path;
  std::map<std::string, std::string> query;
  json body = json::object();
  api_done done;
  caf::event_based_actor* self = nullptr; // valid in handlers, but for those of routes that need none
  caf::actor_system* system = nullptr;

  call() = default;
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  // A handler that ended without an answer has failed: the asker is told so.
  ~call();

  void reply(api_response response);
  void reply(const json& body);
  void reply_text(std::string text); // JSON already
  void refuse(const problem& why);
  void refuse(const failure& why) { refuse(to_problem(why)); }

  uint64_t integer(const std::string& name, uint64_t fallback) const;
  std::string text(const std::string& name) const;
  page_request page() const;
};

// Who asks, as they call themselves: a label, no credential.
std::string asker(const call_ptr& c);

// How long an actor may take to answer who changes something. A limit of its own for each of the questions that a
// reading takes costs more than the questions: who reads has one for the whole answer (http_limits).
inline constexpr std::chrono::seconds ask_limit{5};

// What `f` throws is the answer to the request.
void guarded(const call_ptr& c, const std::function<void()>& f);
// Goes on in an actor of the call's own. Hidden: it lives for milliseconds, and its card would push those of the dead
// that matter out of the table.
void in_actor(const call_ptr& c, std::function<void()> then);

// Asks an actor; `then(Out&)` or `otherwise(failure)` follows, in this call's actor.
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

// The same; a failure is the answer to the request.
template <class Out, class Handle, class Then, class... Ts>
void ask(const call_ptr& c, const Handle& whom, Then then, Ts&&... xs) {
  ask_or<Out>(c, whom, std::move(then), [c](const failure& why) { c->refuse(why); }, std::forward<Ts>(xs)...);
}

// Every campaign's status.
void with_campaigns(const call_ptr& c, std::function<void(std::vector<campaign_status>&)> then);
// The campaign that the path's {id} names: 32 digits, or at least 4 that only one campaign starts with.
void with_campaign(const call_ptr& c, const std::string& digits, std::function<void(const campaign_status&)> then);
// The same, for who needs no more than its id: whole ones are taken as they are, and may name no campaign.
void with_campaign_id(const call_ptr& c, const std::string& digits, std::function<void(const id128&)> then);
// Its actor; `absent` if it is not running here.
void with_campaign_actor(const call_ptr& c, const id128& id, std::function<void(const campaign_actor&)> then,
                         std::function<void(const failure&)> absent);

// Its actor, for a change: one that has ended is refused, unless its budget ended it and the change may reopen it; then
// it is there again for as long as the node runs.
void with_steerable(const call_ptr& c, const campaign_status& s, bool may_reopen,
                    std::function<void(const campaign_actor&)> then);

// That a campaign has ended and cannot go on, with what a person may do instead.
std::string ended_text(const campaign_status& s);

// Which of the campaigns a text of digits names.
result<campaign_status> find_campaign(const std::vector<campaign_status>& all, const std::string& digits);

} // namespace kevolve
