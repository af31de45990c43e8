#include "actors/campaign/pause_reasons.hpp"

#include <utility>

namespace kevolve {

std::optional<pause_reason> pause_reasons::elsewhere() const {
  for (const auto x : {pause_reason::batch, pause_reason::import, pause_reason::home})
    if (holds(x))
      return x;
  return std::nullopt;
}

void pause_reasons::set_elsewhere(std::optional<pause_reason> x, std::string words) {
  if (const auto before = elsewhere())
    clear(*before);
  if (x)
    set(*x, std::move(words));
}

std::optional<pause_reason> pause_reasons::reported(campaign_phase phase) const {
  if (has_ended(phase))
    return std::nullopt;
  for (size_t i = 0; i < words_.size(); ++i) {
    const auto x = static_cast<pause_reason>(i);
    const bool counts = x == pause_reason::models    ? phase == campaign_phase::running
                        : x == pause_reason::cluster ? phase != campaign_phase::paused
                                                     : passes_by_itself(x) || phase == campaign_phase::paused;
    if (counts && holds(x))
      return x;
  }
  return std::nullopt;
}

} // namespace kevolve
