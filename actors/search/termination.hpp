// When a campaign ends, and why. Pure.
#pragma once

#include "runtime/base/enum_text.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

// 0: no limit.
struct termination_rules {
  double target_speedup = 0.0;
  uint64_t candidates = 0;
  double wall_s = 0.0;
  double device_s = 0.0;
  int64_t tokens = 0; // of language models
  double cost = 0.0;  // of them, in their currency
  uint64_t stall = 0; // valid candidates in a row without a significant improvement
};

struct campaign_progress {
  double best_ci_low = 0.0; // of the confirmed best, against the reference
  uint64_t candidates = 0;  // finished
  uint64_t valid_since_best = 0;
  double wall_s = 0.0;
  double device_s = 0.0;
  int64_t tokens = 0;
  double cost = 0.0;
  bool cancelled = false;
  uint64_t exhausted_in_a_row = 0; // selections for which no generator had anything left to propose
};

// The reason why a campaign ends. Records store the text.
enum class end_reason : uint8_t { none = 0, target, budget, stall, cancelled, error };
constexpr std::array<std::string_view, 6> end_reason_texts{"", "target", "budget", "stall", "cancelled", "error"};
constexpr const auto& enum_texts(end_reason) {
  return end_reason_texts;
}

struct stop_decision {
  bool stop = false;
  end_reason reason = end_reason::none;
  std::string detail; // "150 s of wall time are used up"
};

stop_decision should_stop(const termination_rules& rules, const campaign_progress& progress);

// The state of a campaign whose budget of wall time is over.
struct overtime {
  double beyond_s = 0.0;  // since the budget was used up or the present phase began, whichever came later
  bool preparing = false; // without it there is nothing that could be worth the wait
  bool has_best = false;  // found, and perhaps not confirmed
  bool stuck = false;     // another process has the core, or one fault follows the other
};
// Tells if the campaign must end now. Work that has begun may end, and the best be confirmed, beyond the budget, but
// only for a limited time.
bool is_over(const overtime& x);

} // namespace kevolve
