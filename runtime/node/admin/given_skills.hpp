// The skills that a candidate's step was given, from the event of its selection.
#pragma once

#include "actors/messages/records.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/call.hpp"

#include <functional>
#include <optional>

namespace kevolve {

class store;

// Finds the selection of a candidate among the campaign's events, which are in the order of its candidates' indices, by
// bisection. Nothing: it was not selected.
result<std::optional<selection_record>> find_selection(const store& data, const id128& campaign, uint64_t index);

// Calls `then` with the skills that the candidate's step was given, as JSON; null if they cannot be read.
void with_given_skills(const call_ptr& c, const id128& campaign, const node_record& candidate,
                       std::function<void(json)> then);

} // namespace kevolve
