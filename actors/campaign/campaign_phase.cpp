#include "actors/campaign/campaign_phase.hpp"

namespace kevolve {

namespace {

using enum campaign_event;
using phase = campaign_phase;

constexpr std::array table{
    campaign_transition{phase::preparing, journal_damaged, phase::failed, "the journal contradicts itself"},
    campaign_transition{phase::preparing, found_finished, phase::finished, "the journal holds its end"},
    campaign_transition{phase::preparing, found_failed, phase::failed, "the journal holds its failure"},
    campaign_transition{phase::preparing, found_paused, phase::paused, "an earlier session paused it"},
    campaign_transition{phase::preparing, found_away, phase::running, "its evaluations are out with a batch"},
    campaign_transition{phase::preparing, queue, phase::queued, "every place of the node is taken"},
    campaign_transition{phase::preparing, prepared, phase::running, "the judge admitted the task"},
    campaign_transition{phase::preparing, pause, phase::paused, "a person asked, or preparing keeps failing"},
    campaign_transition{phase::preparing, end, phase::finishing, "it was cancelled, refused, or its time is over"},
    campaign_transition{phase::queued, pause, phase::paused, "a person asked"},
    campaign_transition{phase::queued, end, phase::finishing, "a person cancelled it"},
    campaign_transition{phase::running, prepared, phase::running, "the task was prepared a second time"},
    campaign_transition{phase::running, pause, phase::paused, "a person asked, or too many faults in a row"},
    campaign_transition{phase::running, confirm, phase::finishing, "a rule says stop and nothing is in flight"},
    campaign_transition{phase::running, end, phase::finishing, "it was cancelled, or its time is over"},
    campaign_transition{phase::paused, prepared, phase::paused, "the task was admitted during the pause"},
    campaign_transition{phase::paused, pause, phase::paused, "a further reason to pause"},
    campaign_transition{phase::paused, queue, phase::queued, "resumed while every place is taken"},
    campaign_transition{phase::paused, resume_unprepared, phase::preparing, "resumed before its task was admitted"},
    campaign_transition{phase::paused, resume, phase::running, "a person resumed it"},
    campaign_transition{phase::paused, end, phase::finishing, "a person cancelled it"},
    campaign_transition{phase::finishing, confirm, phase::finishing, "the next candidate is confirmed"},
    campaign_transition{phase::finishing, target_missed, phase::running, "the best falls short of the target"},
    campaign_transition{phase::finishing, end, phase::finishing, "the end is being written"},
    campaign_transition{phase::finishing, stored_finished, phase::finished, "the end is written"},
    campaign_transition{phase::finishing, stored_failed, phase::failed, "the failure is written"},
    campaign_transition{phase::finished, queue, phase::queued, "its budget was raised: it goes on"},
};

constexpr bool has_one_row_a_pair() {
  for (size_t i = 0; i < table.size(); ++i)
    for (size_t j = i + 1; j < table.size(); ++j)
      if (table[i].from == table[j].from && table[i].event == table[j].event)
        return false;
  return true;
}
static_assert(has_one_row_a_pair());

} // namespace

std::span<const campaign_transition> campaign_transitions() {
  return table;
}

std::optional<campaign_phase> transition(campaign_phase from, campaign_event event) {
  for (const auto& row : table)
    if (row.from == from && row.event == event)
      return row.to;
  return std::nullopt;
}

bool phase_machine::apply(campaign_event event) {
  const auto next = transition(phase_, event);
  if (next)
    phase_ = *next;
  return next.has_value();
}

std::string phases_document() {
  std::string out =
      "# The phases of a campaign\n\nA campaign begins as `preparing`. Each row of the table is one "
      "transition; an event in any other phase is refused.\nThis page is printed from the table in "
      "`actors/campaign/campaign_phase.cpp`; a test compares the two\n(`KEVOLVE_REWRITE=1` makes it write "
      "the page instead).\n\n| phase | event | next phase | meaning |\n|---|---|---|---|\n";
  for (const auto& row : table)
    out += "| `" + to_string(row.from) + "` | `" + to_string(row.event) + "` | `" + to_string(row.to) + "` | "
           + row.meaning + " |\n";
  return out;
}

} // namespace kevolve
