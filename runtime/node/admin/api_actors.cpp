#include "actors/messages/resource_kinds.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/records_json.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace kevolve::handlers {

namespace {

bool is_alive(const actor_status_view& v) {
  return v.ended_ns == 0;
}

// Says whether the list contains every actor since the start.
json completeness(const call_ptr& c) {
  const auto forgotten = c->context->statuses->forgotten();
  return {{"complete", forgotten == 0}, {"forgotten", forgotten}};
}

json subtree(const actor_status_view& v, const std::multimap<uint64_t, const actor_status_view*>& children,
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
  const auto asked = c->page();
  const auto page = c->context->statuses->page(c->text("kind"), c->text("state"), asked.cursor, asked.limit);
  std::vector<std::string> items;
  for (const auto& v : page.items)
    items.push_back(to_text(v));
  const auto last = std::min<uint64_t>(asked.cursor, page.total) + items.size();
  c->reply_text(page_text(items, last, page.total, completeness(c)));
}

void actor(const call_ptr& c) {
  const auto& digits = c->path.at("id");
  uint64_t id = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    c->refuse(failure{errc::bad_input, "an actor is named by its id, a whole number"});
    return;
  }
  if (const auto found = c->context->statuses->find(id)) {
    const auto device = found->kind == resource_kind::device ? c->context->devices->latest(found->name) : std::nullopt;
    if (!device) {
      c->reply_text(to_text(*found));
      return;
    }
    auto own_status = json::parse(to_text(*found));
    own_status["device"] = to_json(*device);
    c->reply(own_status);
  } else
    c->refuse(failure{errc::not_found,
                      "no actor " + digits
                          + (c->context->statuses->forgotten() == 0 ? "" : "; the oldest dead are forgotten")});
}

void actor_tree(const call_ptr& c) {
  auto all = c->context->statuses->list();
  std::erase_if(all, [](const actor_status_view& v) { return !is_alive(v); });
  std::set<uint64_t> known;
  std::multimap<uint64_t, const actor_status_view*> children;
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
  out.update(completeness(c));
  c->reply(out);
}

void actor_summary(const call_ptr& c) {
  const auto kinds = c->context->statuses->tallies();
  auto items = json::array();
  for (const auto& [kind, k] : kinds)
    if (k->live != 0 || k->dead != 0)
      items.push_back({{"kind", kind},
                       {"live", k->live.load()},
                       {"busy", k->busy.load()},
                       {"dead", k->dead.load()},
                       {"failed", k->failed.load()},
                       {"restarts", k->restarts.load()},
                       {"mailbox", k->mailbox.load()},
                       {"handled", k->handled.load()}});
  const auto total = items.size();
  auto out = page_json(std::move(items), total, total);
  out.update(completeness(c));
  c->reply(out);
}

} // namespace kevolve::handlers
