// The phases of a campaign and the events that lead from one to another, as one table. Pure: the campaign actor applies
// it, tests go through every pair, and docs/campaign-phases.md is printed from it.
#pragma once

#include "actors/messages/enums.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kevolve {

enum class campaign_event : uint8_t {
  journal_damaged = 0, // the stored events do not add up
  found_finished,      // the stored events hold an end
  found_failed,
  found_paused, // a former session paused it
  found_away,   // its evaluations are out with a batch
  prepared,     // the task was admitted
  queue,        // there is no place for it to run
  pause,
  resume_unprepared, // resumed, and its task was never admitted
  resume,
  confirm,         // the best is measured against the reference
  target_missed,   // that measurement falls short of the target
  end,             // the end is being recorded
  stored_finished, // the end is recorded
  stored_failed,
};
constexpr std::array<std::string_view, 15> event_texts{
    "journal_damaged", "found_finished", "found_failed", "found_paused",      "found_away",
    "prepared",        "queue",          "pause",        "resume_unprepared", "resume",
    "confirm",         "target_missed",  "end",          "stored_finished",   "stored_failed"};
constexpr const auto& enum_texts(campaign_event) {
  return event_texts;
}

struct campaign_transition {
  campaign_phase from;
  campaign_event event;
  campaign_phase to;
  const char* meaning;
};

// Returns every transition there is. A pair without a row is refused.
std::span<const campaign_transition> campaign_transitions();

// Returns the phase that follows; nothing if the event cannot happen in that phase.
std::optional<campaign_phase> transition(campaign_phase from, campaign_event event);

// Returns docs/campaign-phases.md.
std::string phases_document();

// The phase of one campaign: it changes by events alone.
class phase_machine {
public:
  campaign_phase phase() const { return phase_; }
  // Returns false, and changes nothing, if the event cannot happen in this phase.
  bool apply(campaign_event event);

private:
  campaign_phase phase_ = campaign_phase::preparing;
};

} // namespace kevolve
