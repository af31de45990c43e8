// The book of skills: keeps every skill that was ever added, each in one record of the table `skills`, and publishes
// them on the board after each change. What it decides is pure (skill_gate.hpp, skill_match.hpp, skill_text.hpp).
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "actors/knowledge/skill_board.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace kevolve {

class store;

struct skill_book_state {
  static inline const char* name = "skill_book";

  actor_status_ptr own_status;
  journal_actor journal;
  std::shared_ptr<skill_board> board;
  std::function<int64_t()> now_ns; // wall clock
  std::map<id128, std::shared_ptr<const skill>> all;
  skill_index index;       // over `all`: those that may be offered
  std::set<id128> unsaved; // the storage refused them: the next write has them, too
};

// Reads the records of `data` before it returns; changes go through the journal.
skill_book_actor::behavior_type skill_book(skill_book_actor::stateful_pointer<skill_book_state> self,
                                           actor_status_ptr own_status, std::shared_ptr<const store> data,
                                           journal_actor journal, std::shared_ptr<skill_board> board,
                                           std::function<int64_t()> now_ns);

} // namespace kevolve
