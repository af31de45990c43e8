// An index over skills that may be offered, by what decides if a step may be given them. Conditions are compared once a
// group, and the gains of a group's skills lie side by side. So 10,000 skills are weighed without reading them.
#pragma once

#include "actors/knowledge/skill.hpp"
#include "actors/knowledge/skill_gate.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

using skill_ptr = std::shared_ptr<const skill>;
// Skills in the order of their ids.
using skill_list = std::vector<skill_ptr>;

struct indexed_skill {
  skill_ptr what;
  id128 campaign; // of the provenance
  skill_evidence evidence;
  double contradictions = 0.0; // applications that were slower beyond their noise
};

// Skills that every step treats alike: relevance_of() and state_here() say the same of each.
struct skill_group {
  bool has_moves = false;
  bool has_code = false;             // for a model: it has moves or an `after`
  std::vector<indexed_skill> skills; // never empty, in the order of the ids
};

class skill_index {
public:
  static skill_index of(const skill_list& all);

  // Takes a skill in the place of its earlier record (null: there was none). Rejected and revoked ones leave the index.
  // A copy that was made before does not change.
  void put(const skill_ptr& now, const skill_ptr& before = nullptr);

  bool empty() const { return groups_.empty(); }
  const auto& groups() const { return groups_; }

private:
  std::map<std::string, std::shared_ptr<const skill_group>> groups_;
};

} // namespace kevolve
