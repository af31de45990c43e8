#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/records_json.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace kevolve::handlers {

namespace {

bool is_alive(const card_view& v) {
  return v.ended_ns == 0;
}

// Whether every actor there has been since the start is in the list.
void say_completeness(const call_ptr& c, json& out) {
  auto forgotten = c->context->cards->forgotten();
  out["complete"] = forgotten == 0;
  out["forgotten"] = forgotten;
}

json subtree(const card_view& v, const std::multimap<uint64_t, const card_view*>& children,
             std::set<uint64_t>& placed) {
  placed.insert(v.id);
  json out{{"id", v.id},       {"kind", v.kind},         {"name", v.name},
           {"state", v.state}, {"restarts", v.restarts}, {"last_failure", or_null(v.last_failure)}};
  auto below = json::array();
  auto [from, to] = children.equal_range(v.id);
  for (auto i = from; i != to; ++i)
    if (!placed.contains(i->second->id))
      below.push_back(subtree(*i->second, children, placed));
  out["children"] = std::move(below);
  return out;
}

} // namespace

void actors(const call_ptr& c) {
  auto all = c->context->cards->list();
  auto kind = c->text("kind");
  auto state = c->text("state");
  std::erase_if(all, [&](const card_view& v) {
    if (!kind.empty() && v.kind != kind)
      return true;
    if (state == "live")
      return !is_alive(v);
    return !state.empty() && v.state != state;
  });
  auto out = page_of(all, c->page(), [](const card_view& v) { return to_json(v); });
  say_completeness(c, out);
  c->reply(out);
}

void actor(const call_ptr& c) {
  const auto& digits = c->path.at("id");
  uint64_t id = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    c->refuse(failure{errc::bad_input, "an actor is named by its id, a whole number"});
    return;
  }
  auto all = c->context->cards->list();
  auto found = std::find_if(all.begin(), all.end(), [id](const card_view& v) { return v.id == id; });
  if (found == all.end())
    c->refuse(
        failure{errc::not_found,
                "no actor " + digits + (c->context->cards->forgotten() == 0 ? "" : "; the oldest dead are forgotten")});
  else
    c->reply(to_json(*found));
}

void actor_tree(const call_ptr& c) {
  auto all = c->context->cards->list();
  std::erase_if(all, [](const card_view& v) { return !is_alive(v); });
  std::set<uint64_t> known;
  std::multimap<uint64_t, const card_view*> children;
  for (const auto& v : all) {
    known.insert(v.id);
    children.emplace(v.parent, &v);
  }
  std::set<uint64_t> placed;
  auto roots = json::array();
  for (const auto& v : all)
    if (!known.contains(v.parent) && !placed.contains(v.id))
      roots.push_back(subtree(v, children, placed));
  json out{{"roots", std::move(roots)}, {"total", all.size()}};
  say_completeness(c, out);
  c->reply(out);
}

void actor_summary(const call_ptr& c) {
  struct counts {
    uint64_t live = 0;
    uint64_t dead = 0;
    uint64_t busy = 0;
    uint64_t failed = 0;
    uint64_t restarts = 0;
    uint64_t mailbox = 0;
    uint64_t handled = 0;
  };
  std::map<std::string, counts> kinds;
  for (const auto& v : c->context->cards->list()) {
    auto& k = kinds[v.kind];
    k.handled += v.handled;
    if (!is_alive(v)) {
      ++k.dead;
      k.failed += v.last_failure == "stopped" ? 0U : 1U;
      continue;
    }
    ++k.live;
    k.busy += v.state == "idle" || v.state == "starting" ? 0U : 1U;
    k.restarts += v.restarts;
    k.mailbox += v.mailbox;
  }
  auto items = json::array();
  for (const auto& [kind, k] : kinds)
    items.push_back({{"kind", kind},
                     {"live", k.live},
                     {"busy", k.busy},
                     {"dead", k.dead},
                     {"failed", k.failed},
                     {"restarts", k.restarts},
                     {"mailbox", k.mailbox},
                     {"handled", k.handled}});
  json out{{"items", std::move(items)}, {"total", kinds.size()}, {"truncated", false}, {"next", nullptr}};
  say_completeness(c, out);
  c->reply(out);
}

} // namespace kevolve::handlers
