#include "actors/knowledge/skill_index.hpp"

#include "actors/knowledge/skill_distil.hpp"

#include <algorithm>
#include <set>

namespace kevolve {

namespace {

bool may_be_offered(const skill& s) {
  return s.state != skill_state::rejected && s.state != skill_state::revoked;
}

void add(std::string& key, const std::string& value) {
  key += value;
  key += '\x1f';
}
template <class Values>
void add_all(std::string& key, const Values& values) {
  for (const auto& v : values)
    add(key, v);
  key += '\x1e';
}

// Returns everything that relevance_of(), state_here() and the kind of generator look at.
std::string key_of(const skill& s) {
  std::set<std::string> measured_on;
  for (const auto& a : s.applications)
    if (is_elsewhere(s, a))
      measured_on.insert(a.hardware.empty() ? std::string{} : a.hardware.back());
  const auto& c = s.conditions;
  std::string key;
  for (const auto* v : {&c.target, &c.language, &c.bound})
    add(key, *v);
  add(key, stage_of(c));
  add_all(key, c.families);
  add_all(key, c.dtypes);
  add_all(key, s.not_for);
  add_all(key, measured_on);
  add(key, to_string(s.state));
  add(key, std::to_string(s.features));
  key += s.step.moves.empty() ? '-' : 'm';
  key += s.step.after.empty() ? '-' : 'a';
  return key;
}

bool is_before(const indexed_skill& a, const id128& id) {
  return a.what->id < id;
}

} // namespace

skill_index skill_index::of(const skill_list& all) {
  std::map<std::string, skill_list> by_key;
  for (const auto& s : all)
    if (may_be_offered(*s))
      by_key[key_of(*s)].push_back(s);
  skill_index out;
  for (auto& [key, skills] : by_key) {
    std::sort(skills.begin(), skills.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
    auto group = std::make_shared<skill_group>();
    group->has_moves = !skills.front()->step.moves.empty();
    group->has_code = group->has_moves || !skills.front()->step.after.empty();
    for (const auto& s : skills)
      group->skills.push_back({s, s->provenance.campaign, evidence_of(*s), contradictions_of(*s)});
    out.groups_.emplace(key, std::move(group));
  }
  return out;
}

void skill_index::put(const skill_ptr& now, const skill_ptr& before) {
  if (before && may_be_offered(*before))
    if (const auto found = groups_.find(key_of(*before)); found != groups_.end()) {
      auto rest = std::make_shared<skill_group>(*found->second); // copies of the index share the old one
      const auto at = std::lower_bound(rest->skills.begin(), rest->skills.end(), before->id, is_before);
      if (at != rest->skills.end() && at->what->id == before->id)
        rest->skills.erase(at);
      if (rest->skills.empty())
        groups_.erase(found);
      else
        found->second = std::move(rest);
    }
  if (!may_be_offered(*now))
    return;
  auto& place = groups_[key_of(*now)];
  auto group = place ? std::make_shared<skill_group>(*place) : std::make_shared<skill_group>();
  group->has_moves = !now->step.moves.empty();
  group->has_code = group->has_moves || !now->step.after.empty();
  const auto at = std::lower_bound(group->skills.begin(), group->skills.end(), now->id, is_before);
  group->skills.insert(at, {now, now->provenance.campaign, evidence_of(*now), contradictions_of(*now)});
  place = std::move(group);
}

} // namespace kevolve
