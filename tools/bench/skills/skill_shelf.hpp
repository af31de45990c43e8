// The skills of a benchmark's campaigns: what the node's book keeps, without a store and an actor.
#pragma once

#include "actors/knowledge/skill_index.hpp"
#include "actors/knowledge/skill_messages.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace kevolve::bench {

class skill_shelf {
public:
  // Takes a skill as a hypothesis, or what it adds to a known one. Returns why it is refused; empty: it is kept.
  std::string add(skill s, int64_t now_ns);
  // Adds a measured application and decides the skill's state anew. An unknown skill is left out.
  void apply(const skill_use& use, int64_t now_ns);

  const skill_index& index() const { return index_; }
  size_t size() const { return all_.size(); }
  // Returns how many skills there are by state.
  std::map<std::string, size_t> states() const;
  // Returns every skill, in the order of the ids.
  skill_list skills() const;

private:
  void put(skill now);

  std::map<id128, skill_ptr> all_;
  skill_index index_;
};

} // namespace kevolve::bench
