// The states of a campaign as people see them: its phases, and three more words. Statuses, HTTP and metrics hold the
// text.
#pragma once

#include "actors/messages/enums.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace kevolve {

// No process runs the campaign, and it has not ended.
inline constexpr const char* stopped_state = "stopped";
// Another node of the cluster runs it; the reason names that node.
inline constexpr const char* elsewhere_state = "elsewhere";
// It is `finished`, with that as the reason.
inline constexpr const char* cancelled_state = "cancelled";

inline constexpr std::array<std::string_view, 10> campaign_state_texts{
    "queued",      "preparing",     "running",  "paused",        "finishing",
    stopped_state, elsewhere_state, "finished", cancelled_state, "failed"};
static_assert(std::all_of(phase_texts.begin(), phase_texts.end(), [](std::string_view phase) {
  return std::find(campaign_state_texts.begin(), campaign_state_texts.end(), phase) != campaign_state_texts.end();
}));

} // namespace kevolve
