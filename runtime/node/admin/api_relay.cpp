// The relay over HTTP: prompts are fetched under a lease, and their replies are delivered.
#include "actors/messages/keys.hpp"
#include "actors/synthesis/answer.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/printable.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/exchange_json.hpp"

#include <optional>

namespace kevolve::handlers {

namespace {

constexpr double longest_lease_s = 7.0 * 86'400;
constexpr double usual_lease_s = 1'800;

bool no_relay(const call_ptr& c) {
  if (c->context->relay)
    return false;
  c->refuse(failure{errc::unavailable, "no node runs here: nothing waits and nothing can be answered"});
  return true;
}

// Returns the id in the path's {prompt}, or refuses the call.
std::optional<exchange_id> prompt_of(const call_ptr& c) {
  auto id = parse_exchange_id(c->path.at("prompt"));
  if (id)
    return *id;
  c->refuse(id.error());
  return std::nullopt;
}

void list(const call_ptr& c) {
  if (no_relay(c))
    return;
  ask<std::vector<relay_prompt>>(
      c, c->context->relay,
      [c](std::vector<relay_prompt>& all) {
        c->reply(page_of(all, c->page(), [](const relay_prompt& p) { return to_json(p); }));
      },
      atom::list_v);
}

void show(const call_ptr& c) {
  auto id = prompt_of(c);
  if (!id)
    return;
  ask_or<std::string>(
      c, c->context->journal,
      [c](std::string& bytes) {
        auto record = decode_older<exchange_record>(bytes);
        if (record)
          with_exchange(c, *record, [c](const json& x) { c->reply(x); });
        else
          c->refuse(record.error());
      },
      [c, id = *id](const failure& why) {
        c->refuse(why.code == errc::not_found ? failure{errc::not_found, "there is no prompt " + to_string(id)} : why);
      },
      atom::lookup_v, std::string{keys::index}, keys::exchange(*id));
}

void take(const call_ptr& c, const id128& campaign) {
  relay_request q;
  q.campaign = campaign;
  q.holder = asker(c);
  q.lease_ns = static_cast<int64_t>(c->body.value("lease_s", usual_lease_s) * 1e9);
  ask_or<relay_prompt>(
      c, c->context->relay, [c](relay_prompt& p) { c->reply(to_json(p)); },
      [c](const failure& why) {
        if (why.code == errc::not_found)
          c->refuse(problem{404, "nothing-waits", why.detail});
        else
          c->refuse(why);
      },
      atom::next_v, q);
}

void next(const call_ptr& c) {
  if (no_relay(c))
    return;
  const auto digits = c->body.value("campaign", std::string{});
  if (digits.empty())
    take(c, {});
  else
    with_campaign(c, digits, [c](const campaign_status& s) { take(c, s.id); });
}

void answer(const call_ptr& c) {
  auto id = prompt_of(c);
  if (!id || no_relay(c))
    return;
  if (c->body.value("text", std::string{}).empty()) {
    c->refuse(problem{422, "unprocessable", "text: the whole reply is expected in it"});
    return;
  }
  relay_answer a{*id, c->body.value("text", std::string{}), asker(c), printable(c->body.value("model", std::string{}))};
  ask<relay_receipt>(
      c, c->context->relay, [c](relay_receipt& r) { c->reply(to_json(r)); }, atom::answer_v, std::move(a));
}

void release(const call_ptr& c) {
  auto id = prompt_of(c);
  if (!id || no_relay(c))
    return;
  ask<relay_prompt>(
      c, c->context->relay, [c](relay_prompt& p) { c->reply(to_json(p)); }, atom::release_v, *id, asker(c));
}

} // namespace

std::vector<route> relay_routes() {
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
    return &t.emplace_back(std::move(r));
  };
  const auto by = text_field("by", "who answers, as they call themselves", 64);
  add("GET", "/v1/relay", "list_prompts", "Prompts that wait for an answer, the oldest first", {}, list)->query = {
      limit_parameter, cursor_parameter};
  add("GET", "/v1/relay/{prompt}", "get_prompt", "A prompt whole, with its answer if it has one", {}, show);
  add("POST", "/v1/relay/next", "take_prompt", "Take the prompt that has waited longest, under a lease",
      {by, text_field("campaign", "only a prompt of this one", 32),
       number_field("lease_s", "seconds until another may take it; 1800 if not given", body_type::number, 1.0,
                    longest_lease_s)},
      next);
  add("POST", "/v1/relay/{prompt}/answer", "answer_prompt", "The answer to a prompt; the first one counts",
      {text_field("text", "the whole reply", static_cast<double>(synthesis::most_answer_bytes), true), by,
       text_field("model", "what made the answer", 100)},
      answer);
  add("POST", "/v1/relay/{prompt}/release", "release_prompt", "Give a prompt back unanswered", {by}, release);
  return t;
}

} // namespace kevolve::handlers
