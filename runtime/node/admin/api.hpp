// The admin's answers, independent of HTTP. There is one table of routes; most requests run in an actor of their own.
#pragma once

#include "runtime/node/admin/call.hpp"
#include "runtime/node/admin/http_counters.hpp"
#include "runtime/node/admin/idempotency.hpp"
#include "runtime/node/admin/router.hpp"
#include "runtime/node/admin/shared_answers.hpp"

#include <boost/asio/thread_pool.hpp>
#include <caf/fwd.hpp>

#include <memory>
#include <optional>
#include <string>

namespace kevolve {

class admin_api {
public:
  admin_api(caf::actor_system& system, api_context context);
  ~admin_api();
  admin_api(const admin_api&) = delete;
  admin_api& operator=(const admin_api&) = delete;

  // Calls `done` once, from any thread, within the actors' time limits.
  void handle(api_request request, api_done done);
  // Records the changes in progress and refuses later ones. Must not be called from `done`.
  void stop();
  bool is_open(std::string_view target) const { return router_.is_open(target); }
  http_counters& counters() { return *context_->counters; }

private:
  // Returns the version of the data that a shared answer depends on; nothing if the answer is not shared.
  std::optional<uint64_t> version_of(const matched& found) const;
  void change(const route& to, call_ptr c);
  void start(const route& to, call_ptr c);

  caf::actor_system& system_;
  std::shared_ptr<const api_context> context_;
  router router_;
  std::unique_ptr<boost::asio::thread_pool> reader_; // null without a store
  std::shared_ptr<shared_answers> shared_;           // null without a store; shared, because a late answer may outlive
                                                     // the API
  std::shared_ptr<idempotency_memory> repeated_ = std::make_shared<idempotency_memory>();
};

// Returns the whole table of routes.
std::vector<route> api_routes();

// Checks a typed body against its route's fields and returns nothing or a 422 with every error; body_schema() returns
// its JSON schema.
std::optional<problem> check_body(const std::vector<body_field>& fields, const json& body);
json body_schema(const std::vector<body_field>& fields);

// Parameters of routes that answer by pages.
inline const query_parameter limit_parameter{"limit", "items a page", true, 1, 1'000, 100, {}};
inline const query_parameter cursor_parameter{
    "cursor", "where to go on: `next` of the page before", true, 0, UINT64_MAX, 0, {}};

// Parameter of routes that continue after an event.
inline const query_parameter after_parameter{"after", "only events after this sequence", true, 0, UINT64_MAX - 1, 0,
                                             {}};
inline constexpr const char* beyond_the_end =
    "`beyond-the-end`: the log ends before `after`; the store was restored, or is another one: read all anew";

class exposition;

namespace handlers {
void healthz(const call_ptr& c); // api_system.cpp
void readyz(const call_ptr& c);
void openapi(const call_ptr& c);
void resources(const call_ptr& c); // api_devices.cpp
void samples(const call_ptr& c);
void metrics(const call_ptr& c);   // api_metrics.cpp
void campaigns(const call_ptr& c); // api_campaigns.cpp
void campaign(const call_ptr& c);
void pause(const call_ptr& c);
void resume(const call_ptr& c);
void cancel(const call_ptr& c);
void tree(const call_ptr& c);
std::vector<route> steering_routes();  // api_steering.cpp
std::vector<route> relay_routes();     // api_relay.cpp
std::vector<route> model_routes();     // api_models.cpp
std::vector<route> batch_routes();     // api_batch.cpp
std::vector<route> knowledge_routes(); // api_knowledge.cpp
std::vector<route> skill_routes();     // api_skills.cpp
std::vector<route> cluster_routes();   // api_cluster.cpp
void put_cluster(exposition& out, const cluster_view& v);
void node(const call_ptr& c); // api_nodes.cpp
void best(const call_ptr& c);
void history(const call_ptr& c); // api_history.cpp
void task(const call_ptr& c);
void actors(const call_ptr& c); // api_actors.cpp
void actor(const call_ptr& c);
void actor_tree(const call_ptr& c);
void actor_summary(const call_ptr& c);
void events(const call_ptr& c); // api_events.cpp
// Refuses with 409 a request for events after one that the log does not contain. Otherwise the reader would get nothing
// until the log has grown that far, and then events of another history. Returns true if it refused.
bool refused_beyond_the_end(const call_ptr& c, bool nothing_found);
void audit(const call_ptr& c);  // api_audit.cpp
void backup(const call_ptr& c); // api_backup.cpp
} // namespace handlers

} // namespace kevolve
