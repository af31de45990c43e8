#include "runtime/node/admin/call.hpp"

#include "runtime/base/log.hpp"
#include "runtime/base/printable.hpp"
#include "runtime/node/admin/at_rest.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <exception>

namespace kevolve {

namespace {

constexpr size_t least_digits = 4;

} // namespace

call::~call() {
  if (done)
    refuse(problem{500, "internal", "the request's handler failed; the log says more"});
}

void call::reply(api_response response) {
  if (auto f = std::exchange(done, nullptr))
    f(std::move(response));
}

void call::reply(const json& document) {
  reply_text(to_text(document));
}

void call::reply_text(std::string text) {
  api_response out;
  out.body = std::move(text);
  reply(std::move(out));
}

void call::refuse(const problem& why) {
  reply(to_response(why));
}

void guarded(const call_ptr& c, const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& e) {
    log::error("admin", "{} {}: {}", c->request.method, c->request.target, e.what());
    c->refuse(problem{500, "internal", "the request's handler failed; the log says more"});
  }
}

void in_actor(const call_ptr& c, std::function<void()> then) {
  c->system->spawn<caf::hidden>([c, then = std::move(then)](caf::event_based_actor* self) {
    report_exceptions(self);
    c->self = self;
    guarded(c, then);
  });
}

uint64_t call::integer(const std::string& name, uint64_t fallback) const {
  auto i = query.find(name);
  return i == query.end() ? fallback : std::stoull(i->second); // the router has checked the digits
}

std::string call::text(const std::string& name) const {
  auto i = query.find(name);
  return i == query.end() ? std::string{} : i->second;
}

page_request call::page() const {
  return {integer("cursor", 0), integer("limit", 100)};
}

result<campaign_status> find_campaign(const std::vector<campaign_status>& all, const std::string& digits) {
  auto hexadecimal = std::all_of(digits.begin(), digits.end(),
                                 [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (!hexadecimal || digits.size() < least_digits || digits.size() > 32)
    return fail(errc::bad_input, "a campaign is named by its id, or by at least 4 of its first digits (0-9 a-f)");
  const campaign_status* found = nullptr;
  for (const auto& c : all)
    if (to_string(c.id).starts_with(digits)) {
      if (found != nullptr)
        return fail(errc::conflict, "more than one campaign starts with " + digits + "; give more digits");
      found = &c;
    }
  if (found == nullptr)
    return fail(errc::not_found, "no campaign " + digits);
  return *found;
}

namespace {

void with_those(const call_ptr& c, const std::string& digits, std::function<void(std::vector<campaign_status>&)> then) {
  ask<std::vector<campaign_status>>(
      c, c->context->campaigns,
      [c, then = std::move(then)](std::vector<campaign_status>& all) {
        if (c->context->offline)
          put_at_rest(c, std::move(all), then);
        else
          then(all);
      },
      atom::list_v, digits);
}

} // namespace

void with_campaigns(const call_ptr& c, std::function<void(std::vector<campaign_status>&)> then) {
  with_those(c, {}, std::move(then));
}

void with_campaign(const call_ptr& c, const std::string& digits, std::function<void(const campaign_status&)> then) {
  with_those(c, digits, [c, digits, then = std::move(then)](std::vector<campaign_status>& all) {
    auto found = find_campaign(all, digits);
    if (found)
      then(*found);
    else
      c->refuse(found.error());
  });
}

void with_campaign_id(const call_ptr& c, const std::string& digits, std::function<void(const id128&)> then) {
  if (const auto id = parse_id(digits))
    then(id);
  else
    with_campaign(c, digits, [then = std::move(then)](const campaign_status& s) { then(s.id); });
}

std::string ended_text(const campaign_status& s) {
  if (parse_enum<campaign_phase>(s.state) == campaign_phase::failed)
    return "the campaign has failed ('kevolve status' says why): submit its files once they are mended, which is a new "
           "campaign";
  if (s.stop_reason == end_reason::cancelled)
    return "the campaign is cancelled, for good: 'kevolve fork' starts another from one of its candidates";
  if (s.stop_reason == end_reason::target)
    return "the campaign is finished, its target is reached: submit its files with a higher stop.speedup, which is a "
           "new "
           "campaign";
  if (s.stop_reason == end_reason::stall)
    return "the campaign is finished, its search stalled: 'kevolve fork' starts another from one of its candidates";
  if (s.stop_reason == end_reason::budget)
    return "the campaign is finished, its budget is used up: 'kevolve budget' and then 'kevolve resume' let it go on";
  return "the campaign is " + s.state;
}

void with_steerable(const call_ptr& c, const campaign_status& s, bool may_reopen,
                    std::function<void(const campaign_actor&)> then) {
  const auto ended = has_ended(s.state);
  if (ended && !(may_reopen && s.stop_reason == end_reason::budget)) {
    c->refuse(failure{errc::conflict, ended_text(s)});
    return;
  }
  ask<caf::actor>(
      c, c->context->campaigns,
      [then = std::move(then)](caf::actor& proxy) { then(caf::actor_cast<campaign_actor>(proxy)); }, atom::wake_v,
      s.id);
}

void with_campaign_actor(const call_ptr& c, const id128& id, std::function<void(const campaign_actor&)> then,
                         std::function<void(const failure&)> absent) {
  ask_or<caf::actor>(
      c, c->context->campaigns,
      [then = std::move(then)](caf::actor& proxy) { then(caf::actor_cast<campaign_actor>(proxy)); }, std::move(absent),
      atom::lookup_v, id);
}

std::string why_not_ready(const api_context& context) {
  auto why = context.broken ? context.broken() : std::string{};
  const auto away = why.empty() && context.away ? context.away() : std::string{};
  return away.empty() ? why : "the cluster cannot be asked, and keeps what this node does: " + away;
}

std::string asker(const call_ptr& c) {
  auto by = c->body.find("by");
  auto name = by != c->body.end() && by->is_string() ? printable(by->get<std::string>()) : std::string{};
  return name.empty() ? "operator" : name;
}

} // namespace kevolve
