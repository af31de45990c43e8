// Batches: files on this machine that export and import a campaign's evaluations. They take as long as the disk does,
// so they run in an actor with its own thread.
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/at_rest.hpp"
#include "runtime/node/admin/batch_json.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "store/store.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <filesystem>

namespace kevolve {

json to_json(const batch_import& x) {
  return {
      {"batch", to_string(x.batch)},
      {"campaign", to_string(x.campaign)},
      {"name", x.name},
      {"added", x.added},
      {"events", x.events},
      {"candidates", x.candidates},
      {"left", x.left},
      {"ended", x.ended},
      {"best", x.best == 0 ? json(nullptr) : json{{"candidate", x.best}, {"node", x.best}, {"speedup", x.speedup}}}};
}

json to_json(const batch_record& x) {
  return {{"batch", to_string(x.batch)}, {"action", to_string(x.action)},
          {"by", or_null(x.by)},         {"candidates", x.candidates},
          {"events", x.events},          {"time", time_json(x.time_ns)}};
}

json export_json(const batch_bundle& b, const std::string& path, uint64_t bytes) {
  return {{"batch", to_string(b.batch)},
          {"campaign", to_string(b.campaign)},
          {"name", b.name},
          {"target", b.target},
          {"candidates", b.candidates},
          {"events", b.base},
          {"file", path},
          {"bytes", bytes}};
}

} // namespace kevolve

namespace kevolve::handlers {

namespace {

// Returns an actor's answer; blocks the calling thread.
template <class Out, class Handle, class... Ts>
result<Out> answer_of(caf::actor_system& system, const Handle& whom, Ts&&... xs) {
  caf::scoped_actor self{system};
  result<Out> out = fail(errc::internal, "no answer");
  self->request(whom, ask_limit, std::forward<Ts>(xs)...)
      .receive([&](Out& x) { out = std::move(x); },
               [&](caf::error& e) { out = tl::unexpected<failure>(to_failure(e)); });
  return out;
}

result<steer_answer> steer_batch(caf::actor_system& system, const api_context& context, const id128& campaign,
                                 steer_request q) {
  auto proxy = answer_of<caf::actor>(system, context.campaigns, atom::wake_v, campaign);
  if (!proxy)
    return tl::unexpected(proxy.error());
  return answer_of<steer_answer>(system, caf::actor_cast<campaign_actor>(*proxy), atom::steer_v, std::move(q));
}

steer_request batch_request(steer_action action, const id128& batch, const std::string& by) {
  steer_request q;
  q.action = action;
  q.batch = batch;
  q.by = by;
  return q;
}

// Returns the absolute path that the body gives under that key, or refuses the call.
std::string path_in(const call_ptr& c, const char* key) {
  auto path = c->body.value(key, std::string{});
  if (!c->context->data)
    c->refuse(problem{503, "unavailable", "this node has no store to write to"});
  else if (path.empty() || !std::filesystem::path{path}.is_absolute())
    c->refuse(problem{400, "bad-request", "'" + std::string{key} + "' must be the absolute path of a file"});
  else
    return path;
  return {};
}

// Marks the campaign as exported first, so that it stands still. The mark is removed if the file cannot be written.
result<json> write_out(caf::actor_system& system, const api_context& context, const campaign_status& s,
                       const std::string& out, bool again, const std::string& by) {
  const bool away = s.batch != id128{};
  std::error_code ec;
  if (std::filesystem::exists(out, ec) && !(again && away))
    return fail(errc::conflict, out + " is there already");
  if (!away || !again) {
    auto marked = steer_batch(system, context, s.id, batch_request(steer_action::batch_out, random_id(), by));
    if (!marked)
      return tl::unexpected(marked.error());
  }
  auto bundle = take_batch(*context.data, s.id);
  const auto free = bundle ? may_write(out, *bundle, again) : result<void>{};
  auto bytes = !bundle ? tl::unexpected(bundle.error())
               : !free ? tl::unexpected(free.error())
                       : write_batch(out, *bundle);
  if (bytes)
    return export_json(*bundle, out, *bytes);
  if (!away)
    steer_batch(system, context, s.id, batch_request(steer_action::batch_cancel, {}, by));
  return tl::unexpected(bytes.error());
}

// A running campaign is put on hold first, so that its actors write nothing in between. They start again from the
// stored state.
result<json> bring_back(caf::actor_system& system, const api_context& context, const std::string& file,
                        const std::string& by) {
  auto back = read_batch(file);
  if (!back)
    return tl::unexpected(back.error());
  auto held = steer_batch(system, context, back->campaign, batch_request(steer_action::batch_in, back->batch, by));
  const bool ended = !held && held.error().code == errc::conflict;    // the store knows why it does not fit
  const bool unknown = !held && held.error().code == errc::not_found; // it knows which campaign is missed
  if (!held && !ended && !unknown)
    return tl::unexpected(held.error());
  // Unchanged: another call has put the campaign on hold and may be writing.
  auto done = import_batch(*context.data, *back, by, held && held->changed);
  if (held && held->changed)
    caf::anon_send(context.campaigns, atom::begin_v, back->campaign);
  if (!done)
    return fail(done.error().code, file + ": " + done.error().detail);
  return to_json(*done);
}

void answer(const call_ptr& c, const result<json>& x) {
  if (x)
    c->reply(*x);
  else
    c->refuse(x.error());
}

void export_batch(const call_ptr& c) {
  const auto out = path_in(c, "out");
  if (out.empty())
    return;
  const auto again = c->body.value("again", std::string{}) == "yes";
  with_campaign(c, c->path.at("id"), [c, out, again](const campaign_status& s) {
    auto& system = c->self->home_system();
    system.spawn<caf::detached + caf::hidden>(
        [c, out, again, s, by = asker(c), &system] { answer(c, write_out(system, *c->context, s, out, again, by)); });
  });
}

void import_file(const call_ptr& c) {
  const auto file = path_in(c, "file");
  if (file.empty())
    return;
  auto& system = c->self->home_system();
  system.spawn<caf::detached + caf::hidden>(
      [c, file, by = asker(c), &system] { answer(c, bring_back(system, *c->context, file, by)); });
}

void cancel_batch(const call_ptr& c) {
  with_campaign(c, c->path.at("id"), [c](const campaign_status& s) {
    with_steerable(c, s, false, [c](const campaign_actor& whom) {
      ask<steer_answer>(
          c, whom, [c](steer_answer& a) { c->reply(to_json(a.status)); }, atom::steer_v,
          batch_request(steer_action::batch_cancel, {}, asker(c)));
    });
  });
}

void show_batch(const call_ptr& c) {
  with_campaign(c, c->path.at("id"), [c](const campaign_status& s) {
    auto folded = std::make_shared<campaign_fold>();
    fold_events(c, s.id, folded, [c, s, folded] {
      // No result is expected for a campaign that has ended.
      const auto away = folded->ended ? std::nullopt : folded->away;
      auto all = json::array();
      for (auto [id, r] : folded->batches) {
        if (folded->ended && r.action == batch_action::exported)
          r.action = batch_action::voided;
        all.push_back(to_json(r));
      }
      c->reply(json{{"campaign", to_string(s.id)},
                    {"name", s.name},
                    {"state", s.state},
                    {"reason", or_null(s.reason)},
                    {"waits_for", or_null(s.waits_for)},
                    {"awaiting_batch", s.awaiting_batch},
                    {"exported", away ? to_json(*away) : json(nullptr)},
                    {"away", away ? to_json(*away) : json(nullptr)},
                    {"batches", std::move(all)}});
    });
  });
}

} // namespace

std::vector<route> batch_routes() {
  std::vector<route> t;
  auto add = [&t](const char* method, const char* pattern, const char* id, const char* summary,
                  std::vector<body_field> fields, void (*f)(const call_ptr&)) {
    route r;
    r.method = method;
    r.pattern = pattern;
    r.id = id;
    r.summary = summary;
    r.fields = std::move(fields);
    r.handler = f;
    t.push_back(std::move(r));
  };
  constexpr double longest_path = 4096;
  const auto by = text_field("by", "who asks, kept with the event", 64);
  add("GET", "/v1/campaigns/{id}/batch", "get_batch",
      "The exported batch of its evaluations, and the batches before it", {}, show_batch);
  add("POST", "/v1/campaigns/{id}/batch/export", "export_batch",
      "Writes what judging needs to a file of this machine; the campaign stands still until that is back",
      {text_field("out", "the file to write, an absolute path", longest_path, true),
       text_field("again", "yes: the file once more, though it is exported", 0, false, {"yes", "no"}), by},
      export_batch);
  add("POST", "/v1/campaigns/{id}/batch/cancel", "cancel_batch", "Cancels an exported batch; the campaign goes on",
      {by}, cancel_batch);
  add("POST", "/v1/batch/import", "import_batch",
      "Adds what kevolve batch work has judged to its campaign, all or nothing; twice is once",
      {text_field("file", "a file of this machine, an absolute path", longest_path, true), by}, import_file);
  return t;
}

} // namespace kevolve::handlers
