#include "runtime/node/admin/api.hpp"

#include "actors/campaign/campaign_states.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/printable.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/admin/api_profile.hpp"
#include "runtime/node/admin/ledger.hpp"
#include "runtime/node/admin/page.hpp"

#include <boost/asio/post.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <chrono>
#include <set>

namespace kevolve {

namespace {

// Nobody reads faster than this, and dozens of pages that ask twice a second share one answer.
constexpr std::chrono::milliseconds shared_for{200};
constexpr size_t most_told = 80; // characters of a value in the audit log, and of a key in an answer

// Parses the body. If a key occurs twice in one object, its value is ambiguous and its name goes to `repeated`.
json parse_body(const std::string& text, std::string& repeated) {
  std::vector<std::set<std::string>> open;
  const auto look = [&](int, json::parse_event_t what, const json& value) {
    if (what == json::parse_event_t::object_start)
      open.emplace_back();
    else if (what == json::parse_event_t::object_end)
      open.pop_back();
    else if (what == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      repeated = value.get<std::string>();
    return true;
  };
  return json::parse(text, look, false);
}

// Accepts the type with or without parameters.
bool is_json(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ')
    type.remove_suffix(1);
  constexpr std::string_view json_type = "application/json";
  return std::equal(type.begin(), type.end(), json_type.begin(), json_type.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

// Reads the body into `c` and checks it against the route's keys. Returns the problem if it does not fit.
std::optional<problem> read_body(const route& to, call& c) {
  if (c.request.body.empty())
    return to.fields.empty() ? std::nullopt : check_body(to.fields, c.body);
  if (to.method == "GET")
    return problem{400, "bad-request", "this path takes no body"};
  if (!is_json(c.request.content_type))
    return problem{415, "unsupported-media-type", "the body must be application/json"};
  std::string repeated;
  c.body = parse_body(c.request.body, repeated);
  if (c.body.is_discarded() || !c.body.is_object())
    return problem{400, "bad-request", "the body must be a JSON object"};
  if (!repeated.empty())
    return problem{400, "bad-request",
                   "key '" + printable(repeated.substr(0, most_told)) + "' stands twice in one object of the body"};
  if (!to.fields.empty())
    return check_body(to.fields, c.body);
  for (const auto& [key, value] : c.body.items()) {
    if (std::find(to.body.begin(), to.body.end(), key) == to.body.end())
      return problem{400, "bad-request", "unknown key '" + key + "' in the body"};
    if (!value.is_string())
      return problem{400, "bad-request", "'" + key + "' must be a text"};
  }
  return std::nullopt;
}

audit_record audit_record_of(const route& to, const call& c) {
  audit_record out;
  out.time_ns = wall_clock_ns();
  out.phase = "begun";
  out.request = c.request.id;
  out.who = c.request.who;
  out.peer = c.request.peer;
  out.method = c.request.method;
  out.route = to.id;
  auto tell = [&out](const std::string& name, const std::string& value) {
    out.ids += (out.ids.empty() ? "" : " ") + name + "=" + printable(value.substr(0, most_told));
  };
  for (const auto& [name, value] : c.path)
    tell(name, value);
  for (const auto& [name, value] : c.body.items())
    if (!value.is_structured())
      tell(name, value.is_string() ? value.get<std::string>() : value.dump());
  return out;
}

audit_record ended_record(audit_record out, const api_response& x) {
  out.time_ns = wall_clock_ns();
  out.phase = "ended";
  out.status = x.status;
  out.outcome = x.problem.empty() ? "done" : x.problem;
  auto document = json::parse(x.body, nullptr, false);
  if (x.problem.empty() && document.is_object() && document.contains("id") && document["id"].is_string())
    out.outcome += " id=" + document["id"].get<std::string>();
  return out;
}

} // namespace

namespace {

// Adds the paths that the version before had for candidates: nodes/{index}, with the operation names of then.
void add_old_paths(std::vector<route>& table) {
  constexpr std::string_view now = "/candidates/{index}";
  const auto count = table.size();
  for (size_t i = 0; i < count; ++i) {
    const auto at = table[i].pattern.find(now);
    if (at == std::string::npos)
      continue;
    auto old = table[i];
    old.pattern.replace(at, now.size(), "/nodes/{index}");
    old.id = old.id == "fork_candidate" ? "fork_campaign" : old.id.substr(0, old.id.find('_')) + "_node";
    old.deprecated = true;
    table.push_back(std::move(old));
  }
}

} // namespace

std::vector<route> api_routes() {
  using namespace handlers;
  const query_parameter state{"state",
                              "only campaigns in this state; cancelled: finished, with that as the reason",
                              false,
                              0,
                              0,
                              0,
                              {campaign_state_texts.begin(), campaign_state_texts.end()}};
  const std::vector<std::string> reason{"reason"};
  std::vector<route> t;
  auto add = [&t](std::string method, std::string pattern, std::string id, std::string summary,
                  std::function<void(const call_ptr&)> f) -> route& {
    route r;
    r.method = std::move(method);
    r.pattern = std::move(pattern);
    r.id = std::move(id);
    r.summary = std::move(summary);
    r.handler = std::move(f);
    return t.emplace_back(std::move(r));
  };
  add("GET", "/healthz", "healthz", "The process is alive", healthz).immediate = true;
  t.back().open = true;
  add("GET", "/readyz", "readyz", "The node can take work", readyz).open = true;
  add("GET", "/metrics", "metrics", "Figures in Prometheus' text format", metrics).produces = {"text/plain"};
  add("GET", "/v1/openapi.json", "openapi", "This document", openapi).immediate = true;
  add("GET", "/v1/campaigns", "list_campaigns", "Campaigns of this node, running and ended", campaigns).query = {
      state, limit_parameter, cursor_parameter};
  add("GET", "/v1/campaigns/{id}", "get_campaign", "A campaign's state, counts, budget and best", campaign);
  add("POST", "/v1/campaigns/{id}/pause", "pause_campaign", "Start nothing new; what is in flight ends", pause).body =
      reason;
  t.back().ends = true;
  add("POST", "/v1/campaigns/{id}/resume", "resume_campaign", "Go on with a paused campaign", resume).body = reason;
  add("POST", "/v1/campaigns/{id}/cancel", "cancel_campaign", "End a campaign for good", cancel).body = reason;
  t.back().ends = true;
  add("GET", "/v1/campaigns/{id}/tree", "get_tree", "The search tree, a row per candidate; 0 is the reference", tree)
      .query = {limit_parameter, cursor_parameter};
  t.back().shared = sharing::campaign;
  add("GET", "/v1/campaigns/{id}/candidates/{index}", "get_candidate",
      "A candidate whole: source, differences, compiler's words, samples, verdict, cost", node)
      .reads = true;
  t.back().shared = sharing::campaign;
  add("GET", "/v1/campaigns/{id}/history", "get_history", "The campaign's events in short, from the first on", history)
      .query = {after_parameter};
  t.back().conflict = beyond_the_end;
  add("GET", "/v1/campaigns/{id}/task", "get_task", "The operator, its files, its shapes and the least work at each",
      task);
  add("GET", "/v1/campaigns/{id}/best", "get_best", "The best candidate whole", best);
  auto& listed = add("GET", "/v1/actors", "list_actors", "Actors, live and dead", actors);
  listed.query = {{"kind", "only this kind", false, 0, 0, 0, {}},
                  {"state", "live, dead, or of the live ones those that start, are idle or are busy", false, 0, 0, 0,
                   actor_status_table::asked_states()},
                  limit_parameter,
                  cursor_parameter};
  listed.immediate = true;
  listed.shared = sharing::any;
  add("GET", "/v1/actors/tree", "get_actor_tree", "Live actors under their supervisors", actor_tree).shared =
      sharing::any;
  add("GET", "/v1/actors/summary", "get_actor_summary", "Actors counted by kind", actor_summary).immediate = true;
  t.back().shared = sharing::any;
  add("GET", "/v1/actors/{id}", "get_actor", "One actor's status", actor).immediate = true;
  add("GET", "/v1/resources", "list_resources",
      "Compiler slots and devices with their leases; of devices how they are: clocks, power, temperature, who else is "
      "on "
      "them",
      resources);
  add("GET", "/v1/resources/{id}/samples", "list_samples",
      "What a device was like before, newest first: one in a while, and each time its state changed or what slows it "
      "down",
      samples)
      .query = {limit_parameter, cursor_parameter};
  auto& e = add("GET", "/v1/events", "list_events",
                "What happened, in one global sequence; as a live stream with Accept: text/event-stream, resumed by "
                "Last-Event-ID",
                events);
  e.query = {{"campaign", "only this campaign", false, 0, 0, 0, {}}, after_parameter, limit_parameter};
  e.produces = {"application/json", "text/event-stream"};
  e.conflict = beyond_the_end;
  auto steering = steering_routes();
  std::move(steering.begin(), steering.end(), std::back_inserter(t));
  auto relay = relay_routes();
  std::move(relay.begin(), relay.end(), std::back_inserter(t));
  auto models = model_routes();
  std::move(models.begin(), models.end(), std::back_inserter(t));
  auto batches = batch_routes();
  std::move(batches.begin(), batches.end(), std::back_inserter(t));
  auto cluster = cluster_routes();
  std::move(cluster.begin(), cluster.end(), std::back_inserter(t));
  auto documents = knowledge_routes();
  std::move(documents.begin(), documents.end(), std::back_inserter(t));
  auto skills = skill_routes();
  std::move(skills.begin(), skills.end(), std::back_inserter(t));
  auto profiles = profile_routes();
  std::move(profiles.begin(), profiles.end(), std::back_inserter(t));
  add_page_routes(t);
  add("GET", "/v1/audit", "list_audit", "Every request that changes something, hash-chained; never shortened",
      handlers::audit)
      .query = {limit_parameter, {"cursor", "only records behind this number", true, 0, UINT64_MAX, 0, {}}};
  add("POST", "/v1/backup", "make_backup", "Copies the store into a new directory of this machine while it is in use",
      handlers::backup)
      .body = {"out", "purpose"};
  t.back().local = true;
  add_old_paths(t);
  return t;
}

admin_api::admin_api(caf::actor_system& system, api_context context) : system_(system), router_(api_routes()) {
  context.openapi = openapi_of(router_.table(), context.version);
  if (!context.counters)
    context.counters = std::make_shared<http_counters>();
  if (context.ledger)
    if (auto kept = repeated_->restore(context.ledger->data(), idempotency_memory::clock::now()); !kept)
      log::error("admin", "idempotency keys cannot be read: {}", to_string(kept.error()));
  if (context.data)
    shared_ = std::make_shared<shared_answers>(shared_for);
  if (context.data)
    reader_ = std::make_unique<boost::asio::thread_pool>(1);
  context_ = std::make_shared<const api_context>(std::move(context));
}

admin_api::~admin_api() {
  stop();
}

void admin_api::stop() {
  if (reader_) {
    reader_->stop();
    reader_->join();
  }
  if (context_->ledger)
    context_->ledger->stop();
}

std::optional<uint64_t> admin_api::version_of(const matched& found) const {
  if (!shared_ || found.to->shared == sharing::none)
    return std::nullopt;
  if (found.to->shared == sharing::any)
    return shared_->changes();
  const auto id = parse_id(found.path.at("id"));
  return id ? std::optional{shared_->changes() + context_->data->changes_of(id)} : std::nullopt;
}

void admin_api::handle(api_request request, api_done done) {
  auto found = router_.match(request.method, request.target);
  if (!found) {
    auto response = to_response(found.error().why);
    response.allow = found.error().allow;
    done(std::move(response));
    return;
  }
  const auto version = version_of(*found);
  if (version)
    if (auto answer = shared_->find(request.target, *version, shared_answers::clock::now())) {
      done(std::move(*answer));
      return;
    }
  done = [route = found->to->id, deprecated = found->to->deprecated, version, shared = shared_,
          target = version ? request.target : std::string{}, done = std::move(done)](api_response response) {
    response.route = route;
    if (deprecated) { // RFC 9745; the date is that of the successor's first day
      response.headers.emplace_back("Deprecation", "@1795910400");
      response.headers.emplace_back("Link", "</v1/openapi.json>; rel=\"deprecation\"");
    }
    if (version)
      shared->keep(target, *version, response, shared_answers::clock::now());
    done(std::move(response));
  };
  auto c = std::make_shared<call>();
  c->context = context_;
  c->request = std::move(request);
  c->path = std::move(found->path);
  c->query = std::move(found->query);
  c->done = std::move(done);
  if (auto wrong = read_body(*found->to, *c))
    c->refuse(*wrong);
  else if (c->request.method == "GET")
    start(*found->to, std::move(c));
  else
    change(*found->to, std::move(c));
}

// The request is on disk before it takes effect, and its outcome before it is answered.
void admin_api::change(const route& to, call_ptr c) {
  using clock = idempotency_memory::clock;
  std::string why;
  if (!to.ends)
    why = !to.local ? why_not_ready(*context_) : context_->broken ? context_->broken() : std::string{};
  if (!why.empty()) {
    c->refuse(problem{503, "unavailable", "nothing was done: " + why});
    return;
  }
  c->done = [shared = shared_, done = std::move(c->done)](api_response x) {
    if (shared)
      shared->clear();
    done(std::move(x));
  };
  if (!c->request.idempotency_key.empty())
    if (auto answer = repeated_->begin(c->request, clock::now())) {
      c->reply(std::move(*answer));
      return;
    }
  auto ledger = context_->ledger;
  auto record = audit_record_of(to, *c);
  auto request = c->request;
  auto plain = std::exchange(c->done, nullptr);
  c->done = [ledger, memory = repeated_, record, request, done = plain](api_response x) {
    auto finish = [memory, key = request.idempotency_key, done](const api_response& answer) {
      memory->end(key, answer, clock::now());
      done(answer);
    };
    if (!ledger) {
      finish(x);
      return;
    }
    auto ended = ended_record(record, x);
    auto others = idempotency_memory::end_writes(request, x, clock::now());
    ledger->write(std::move(ended), std::move(others),
                  [finish, memory, done, key = request.idempotency_key, x = std::move(x)](const result<void>& written) {
                    if (written) {
                      finish(x);
                      return;
                    }
                    memory->end_unrecorded(key);
                    done(to_response({507, "audit-failed",
                                      "the request was carried out, but its outcome cannot be recorded: "
                                          + to_string(written.error())}));
                  });
  };
  if (!ledger) {
    start(to, std::move(c));
    return;
  }
  auto others = repeated_->begin_writes(request, clock::now());
  ledger->write(
      std::move(record), std::move(others), [this, &to, memory = repeated_, c, plain](const result<void>& written) {
        if (written) {
          start(to, c);
          return;
        }
        c->done = nullptr;
        auto why = to_response(
            {507, "audit-failed", "nothing was done, since it cannot be recorded: " + to_string(written.error())});
        memory->end(c->request.idempotency_key, why, clock::now());
        plain(why);
      });
}

void admin_api::start(const route& to, call_ptr c) {
  auto handle = [c, handler = to.handler] { guarded(c, [&] { handler(c); }); };
  c->system = &system_;
  if (to.immediate)
    handle();
  else if (to.reads && reader_)
    boost::asio::post(*reader_, std::move(handle));
  else
    in_actor(c, std::move(handle));
}

} // namespace kevolve
