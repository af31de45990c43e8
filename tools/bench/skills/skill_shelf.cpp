#include "tools/bench/skills/skill_shelf.hpp"

#include "actors/knowledge/skill_distil.hpp"
#include "actors/knowledge/skill_gate.hpp"
#include "actors/knowledge/skill_text.hpp"
#include "backends/generator.hpp"

#include <utility>

namespace kevolve::bench {

std::string skill_shelf::add(skill s, int64_t now_ns) {
  s.id = skill_id(s);
  if (auto wrong = refusal_of(s); !wrong.empty())
    return wrong;
  if (auto unknown = moves_problem(s.step.moves); !unknown.empty())
    return unknown;
  const auto known = all_.find(s.id);
  put(judged_anew(known == all_.end() ? std::move(s) : merged(*known->second, s), now_ns));
  return {};
}

void skill_shelf::apply(const skill_use& use, int64_t now_ns) {
  if (const auto found = all_.find(use.skill); found != all_.end())
    put(applied(*found->second, use.what, now_ns));
}

void skill_shelf::put(skill now) {
  auto& place = all_[now.id];
  const auto before = std::exchange(place, std::make_shared<const skill>(std::move(now)));
  index_.put(place, before);
}

std::map<std::string, size_t> skill_shelf::states() const {
  std::map<std::string, size_t> out;
  for (const auto& [id, s] : all_)
    ++out[to_string(s->state)];
  return out;
}

skill_list skill_shelf::skills() const {
  skill_list out;
  for (const auto& [id, s] : all_)
    out.push_back(s);
  return out;
}

} // namespace kevolve::bench
