// Which of a campaign's generators makes the next candidate, and those that wait for a model.
#pragma once

#include "actors/campaign/campaign_steps.hpp"

#include <optional>
#include <string>

namespace kevolve::campaign_steps {

// Steps that wait for a model's answer: they take no part in what the machine is at.
bool awaits_model(const campaign_state& st, const selection_record& r);

// Which generator the next node is for; nothing: the machine, or every one of them, has enough to do.
std::optional<size_t> next_generator(const campaign_state& st, uint64_t seed);

// Why a generator makes nothing for now; empty: it may.
std::string hold_of(const campaign_state& st, size_t generator);
// Why a question of it is not asked: it is held, or the campaign's budget has no room for another call.
std::string refusal_of(const campaign_state& st, size_t generator);
// A generator is held: why, with its providers' names; empty: none is.
std::string hold_of_any(const campaign_state& st);
// Every generator is held: why; empty: one may be asked.
std::string hold_of_all(const campaign_state& st);

// The campaign is told from now on when others may be asked than before.
void listen_to_board(pointer self);

// An answer may never come: what waits for one does not keep a campaign from its end.
void withdraw_questions(pointer self);

} // namespace kevolve::campaign_steps
