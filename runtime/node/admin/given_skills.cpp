#include "runtime/node/admin/given_skills.hpp"

#include "actors/knowledge/skill_distil.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/skills_json.hpp"
#include "store/store.hpp"

#include <caf/actor_system.hpp>

#include <utility>

namespace kevolve {

namespace {

constexpr size_t events_a_look_up = 64;

struct found_selection {
  uint64_t at = 0; // sequence in the campaign
  selection_record what;
};

// Returns the first selection from `from` to `last`; nothing if there is none.
result<std::optional<found_selection>> next_selection(const store& data, const id128& campaign, uint64_t from,
                                                      uint64_t last) {
  while (from <= last) {
    const auto events = data.read_events(campaign, from, events_a_look_up);
    if (!events)
      return tl::unexpected(events.error());
    if (events->empty())
      break;
    for (const auto& e : *events) {
      if (e.campaign_sequence > last)
        return std::optional<found_selection>{};
      if (static_cast<event_kind>(e.kind) != event_kind::node_selected)
        continue;
      auto record = decode_older<selection_record>(e.payload);
      if (!record)
        return tl::unexpected(record.error());
      return std::optional{found_selection{e.campaign_sequence, std::move(*record)}};
    }
    from = events->back().campaign_sequence + 1;
  }
  return std::optional<found_selection>{};
}

json given_json(const result<std::optional<selection_record>>& selected, const std::string& summary) {
  if (!selected || !*selected)
    return nullptr;
  auto out = json::array();
  for (const auto& s : (*selected)->skills) {
    auto one = to_json(s);
    one["applied"] = summary.find(offered_name(s.id)) != std::string::npos;
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace

result<std::optional<selection_record>> find_selection(const store& data, const id128& campaign, uint64_t index) {
  const auto end = data.last_campaign_sequence(campaign);
  if (!end)
    return tl::unexpected(end.error());
  uint64_t low = 1;
  uint64_t high = *end;
  while (low <= high) {
    const auto middle = low + (high - low) / 2;
    auto found = next_selection(data, campaign, middle, high);
    if (!found)
      return tl::unexpected(found.error());
    if (*found && (*found)->what.index == index)
      return std::optional{std::move((*found)->what)};
    if (*found && (*found)->what.index < index)
      low = (*found)->at + 1;
    else
      high = middle - 1;
  }
  return std::optional<selection_record>{};
}

void with_given_skills(const call_ptr& c, const id128& campaign, const node_record& candidate,
                       std::function<void(json)> then) {
  if (candidate.skills.empty()) {
    then(json::array());
    return;
  }
  const auto index = candidate.index;
  const auto& summary = candidate.proposal.summary; // it names those that the candidate applies
  const auto data = c->context->records;
  if (!data) {
    then(nullptr);
    return;
  }
  if (c->self == nullptr) { // on a thread that may wait for the disk
    then(given_json(find_selection(*data, campaign, index), summary));
    return;
  }
  c->self->home_system().spawn<caf::detached + caf::hidden>([c, data, campaign, index, summary, then] {
    auto given = given_json(find_selection(*data, campaign, index), summary);
    in_actor(c, [then, given = std::move(given)] { then(given); });
  });
}

} // namespace kevolve
