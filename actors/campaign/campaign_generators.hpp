// Chooses which of a campaign's generators makes the next candidate, and tracks the steps that wait for a model. A
// `generator` is an index in the campaign's list of generators.
#pragma once

#include "actors/campaign/campaign_steps.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kevolve::campaign_steps {

// Returns true if the step of that selection waits for a model's answer; such a step does not occupy the machine.
bool awaits_model(const campaign_state& st, const selection_record& r);

// The generator that makes the next candidate, and what the bandit saw if it chose.
struct next_step {
  size_t generator = 0;
  std::vector<bandit_arm> arms;
  std::vector<bool> may; // by arm: it can be asked now
};
// Returns the generator for the next step, drawn by weights with the seed unless the bandit chooses. Returns nothing if
// the machine, or every generator, has enough to do.
std::optional<next_step> next_generator(const campaign_state& st, uint64_t seed);

// Returns true if a model's step must wait: it follows the drafts, and none of them has been judged.
bool awaits_results(const campaign_state& st, size_t generator);

// Returns why a generator may not be asked for now; empty: it may.
std::string hold_of(const campaign_state& st, size_t generator);
// Returns why a generator's request is not sent: it is on hold, or the campaign's budget has no room for another call.
std::string refusal_of(const campaign_state& st, size_t generator);
// Returns why a generator is on hold, the first one that is, with its providers' names; empty: none is.
std::string hold_of_any(const campaign_state& st);
// Returns why every generator is on hold; empty: one may be asked.
std::string hold_of_all(const campaign_state& st);

// Lets the campaign get atom::wake from now on whenever the generators that may be asked have changed.
void listen_to_board(pointer self);

// Withdraws unanswered requests. An answer may never come, and waiting for one must not keep a campaign from its end.
void withdraw_questions(pointer self);

} // namespace kevolve::campaign_steps
