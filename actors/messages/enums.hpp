// The closed sets of words that records and messages carry: each is an enumeration with one table of texts. Records
// store the text; the value 0 stands for the empty one.
#pragma once

#include "actors/search/termination.hpp"
#include "runtime/base/enum_text.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace kevolve {

// The phases of a campaign. campaign/campaign_phase.hpp has the transitions.
enum class campaign_phase : uint8_t { preparing = 0, queued, running, paused, finishing, finished, failed };
constexpr std::array<std::string_view, 7> phase_texts{"preparing", "queued",   "running", "paused",
                                                      "finishing", "finished", "failed"};
constexpr const auto& enum_texts(campaign_phase) {
  return phase_texts;
}

// Returns true for the final phases. Only a raised budget leads out of `finished`.
constexpr bool has_ended(campaign_phase x) {
  return x == campaign_phase::finished || x == campaign_phase::failed;
}
// Returns the same for the state text of a status, which need not be a phase if no process runs the campaign.
inline bool has_ended(std::string_view state) {
  const auto known = parse_enum<campaign_phase>(state);
  return known && has_ended(*known);
}

// The state of a candidate.
enum class candidate_state : uint8_t { none = 0, selected, proposed, finished, faulted };
constexpr std::array<std::string_view, 5> candidate_state_texts{"", "selected", "proposed", "finished", "faulted"};
constexpr const auto& enum_texts(candidate_state) {
  return candidate_state_texts;
}

// The reason why a step ended without a verdict. It stands as the rule of the record, beside the rules of the judge.
enum class no_verdict : uint8_t {
  none = 0,
  exhausted,    // its generator had nothing more to propose
  no_candidate, // what a model answered holds no candidate
  withdrawn,    // its model was not asked any more
  not_judged,   // every try to judge it was a fault
};
constexpr std::array<std::string_view, 5> no_verdict_texts{"", "exhausted", "no_candidate", "withdrawn", "not_judged"};
constexpr const auto& enum_texts(no_verdict) {
  return no_verdict_texts;
}
// Returns `none` for a rule of the judge.
inline no_verdict no_verdict_of(std::string_view rule) {
  return parse_enum<no_verdict>(rule).value_or(no_verdict::none);
}

// A change that a person makes to a campaign. The batch_* ones are asked and stored as batch_action.
enum class steer_action : uint8_t {
  none = 0,
  priority,
  budget,
  inject,
  pin,
  unpin,
  ban,
  unban,
  fork,
  reopen,
  batch_out,    // its evaluations travel from now on
  batch_in,     // they are back
  batch_cancel, // they will not be back
};
constexpr std::array<std::string_view, 13> steer_action_texts{
    "",      "priority", "budget", "inject",    "pin",      "unpin",       "ban",
    "unban", "fork",     "reopen", "batch_out", "batch_in", "batch_cancel"};
constexpr const auto& enum_texts(steer_action) {
  return steer_action_texts;
}

constexpr bool is_about_a_batch(steer_action x) {
  return x >= steer_action::batch_out;
}

// An event in the life of a batch of evaluations that travels as a file.
enum class batch_action : uint8_t {
  none = 0,
  exported,
  imported,
  cancelled,
  voided /* never stored: ended while out */
};
constexpr std::array<std::string_view, 5> batch_action_texts{"", "exported", "imported", "cancelled", "void"};
constexpr const auto& enum_texts(batch_action) {
  return batch_action_texts;
}

// The state that a campaign records. `waiting` is a pause that ends without a person.
enum class run_state : uint8_t { none = 0, running, paused, waiting };
constexpr std::array<std::string_view, 4> run_state_texts{"", "running", "paused", "waiting"};
constexpr const auto& enum_texts(run_state) {
  return run_state_texts;
}

} // namespace kevolve
