#include "runtime/node/admin/exchange_json.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/node/admin/knowledge_json.hpp"
#include "runtime/node/admin/models_json.hpp"
#include "runtime/node/admin/node_view.hpp"

#include <utility>

namespace kevolve {

namespace {

json held(const std::string& holder, int64_t until_ns) {
  return until_ns == 0 ? json(nullptr) : json{{"holder", holder}, {"until", time_json(until_ns)}};
}

} // namespace

json to_json(const relay_prompt& p) {
  json out{{"id", to_string(p.id)},
           {"campaign", to_string(p.id.campaign)},
           {"candidate", p.id.node},
           {"node", p.id.node},
           {"round", p.id.round},
           {"tokens", p.tokens},
           {"asked", time_json(p.asked_ns)},
           {"handed_out", p.handed_out},
           {"lease", held(p.holder, p.held_until_ns)}};
  if (p.turns.empty())
    return out;
  auto turns = json::array();
  for (const auto& t : p.turns)
    turns.push_back({{"role", t.role}, {"content", t.text}});
  out["messages"] = std::move(turns);
  return out;
}

json to_json(const relay_receipt& r) {
  return {{"id", to_string(r.id)},
          {"outcome", or_null(r.outcome)},
          {"detail", or_null(r.detail)},
          {"repeated", r.repeated}};
}

void with_exchange(const call_ptr& c, const exchange_record& r, std::function<void(json)> then) {
  std::vector<wanted_value> wanted;
  for (size_t i = 0; i < r.turns.size(); ++i)
    wanted.push_back({"turn " + std::to_string(i), keys::blobs, r.turns[i].text});
  if (r.answered)
    wanted.push_back({"reply", keys::blobs, r.reply});
  gather(c, wanted, [r, then = std::move(then)](const found_values& found) {
    const auto text = [&](const std::string& name) {
      auto i = found.find(name);
      return i == found.end() ? json(nullptr) : json(i->second);
    };
    auto turns = json::array();
    for (size_t i = 0; i < r.turns.size(); ++i)
      turns.push_back({{"role", r.turns[i].role}, {"content", text("turn " + std::to_string(i))}});
    auto parts = json::array();
    for (const auto& p : r.parts)
      parts.push_back({{"name", p.name}, {"tokens", p.tokens}, {"budget", p.budget}, {"left_out", p.left_out}});
    json answer = nullptr;
    if (r.answered)
      answer = {{"content", text("reply")},       {"by", or_null(r.answered_by)},  {"model", or_null(r.model)},
                {"at", time_json(r.answered_ns)}, {"outcome", or_null(r.outcome)}, {"detail", or_null(r.detail)}};
    auto calls = json::array();
    for (const auto& x : r.calls)
      calls.push_back(to_json(x));
    auto retrievals = json::array();
    for (const auto& x : r.retrievals)
      retrievals.push_back(to_json(x));
    then({{"id", to_string(r.id)},
          {"campaign", to_string(r.id.campaign)},
          {"candidate", r.id.node},
          {"node", r.id.node},
          {"round", r.id.round},
          {"generator", r.kind},
          {"tokens", r.tokens},
          {"asked", time_json(r.asked_ns)},
          {"purpose", r.purpose.empty() ? "candidate" : r.purpose},
          {"report", to_json(r.report)},
          {"retrievals", std::move(retrievals)},
          {"parts", std::move(parts)},
          {"messages", std::move(turns)},
          {"calls", std::move(calls)},
          {"answer", std::move(answer)}});
  });
}

} // namespace kevolve
