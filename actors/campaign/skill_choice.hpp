// Chooses the skills that a selected step is given. Pure: campaigns of a node and of benchmarks choose alike.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "actors/knowledge/skill_match.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Returns the candidate that a step starts from; 0: the reference.
uint64_t start_of(const selection_record& r);

// Adds to a selection the skills that its step is given. `signals` are those of the campaign and of the parent's
// profile. With `moves` the step is a generator's with moves: it is given skills only if it is their turn
// (skill_turns.hpp), and its draft takes no turn of the generator's own ideas. The statistics record the decision as
// "skill_turn", 1 or 0, with the "skill_promise"; without one no skill could be applied.
void choose_skills(selection_record& r, const campaign_fold& f, const skill_index& all,
                   std::vector<std::string> signals, bool moves, const skill_moment& when);

// Fold the beginning and the end of a step into the fold's turns. `r` is the step's selection.
void fold_turn_begun(skill_turns& turns, const selection_record& r);
void fold_turn_ended(skill_turns& turns, const selection_record& r, const node_record& n, double best_before);

} // namespace kevolve
