#include "actors/search/termination.hpp"

#include <array>
#include <charconv>

namespace kevolve {

namespace {

// Selections in a row that no generator could follow before the search counts as stalled.
constexpr uint64_t exhausted_limit = 32;

// Seconds beyond the budget: another process gives the core up after an evaluation, or does not mean to.
constexpr double patience_s = 30.0;
constexpr double utmost_patience_s = 300.0;

std::string print(double x) {
  std::array<char, 32> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::general, 6).ptr;
  return {buffer.data(), end};
}

} // namespace

stop_decision should_stop(const termination_rules& rules, const campaign_progress& progress) {
  if (progress.cancelled)
    return {true, end_reason::cancelled, "cancelled on request"};
  // With confidence: the lower end of the confirmed best's interval, not its middle.
  if (rules.target_speedup > 0.0 && progress.best_ci_low >= rules.target_speedup)
    return {true, end_reason::target,
            "by its screenings the best is at least " + print(progress.best_ci_low) + " times as fast, wanted was "
                + print(rules.target_speedup)};
  if (rules.candidates > 0 && progress.candidates >= rules.candidates)
    return {true, end_reason::budget, std::to_string(rules.candidates) + " candidates are used up"};
  if (rules.wall_s > 0.0 && progress.wall_s >= rules.wall_s)
    return {true, end_reason::budget, print(rules.wall_s) + " s of wall time are used up"};
  if (rules.device_s > 0.0 && progress.device_s >= rules.device_s)
    return {true, end_reason::budget, print(rules.device_s) + " s of device time are used up"};
  if (rules.tokens > 0 && progress.tokens >= rules.tokens)
    return {true, end_reason::budget,
            "the budget of " + std::to_string(rules.tokens) + " tokens for language models is used up"};
  if (rules.cost > 0.0 && progress.cost >= rules.cost)
    return {true, end_reason::budget, "the budget of " + print(rules.cost) + " (money) for language models is used up"};
  if (rules.stall > 0 && progress.valid_since_best >= rules.stall)
    return {true, end_reason::stall,
            std::to_string(progress.valid_since_best) + " valid candidates without an improvement"};
  if (progress.exhausted_in_a_row >= exhausted_limit)
    return {true, end_reason::stall,
            "no generator had anything left to propose " + std::to_string(progress.exhausted_in_a_row)
                + " times in a row"};
  return {};
}

bool is_over(const overtime& x) {
  if (x.preparing && !x.has_best)
    return true;
  return x.beyond_s >= (x.stuck ? patience_s : utmost_patience_s);
}

} // namespace kevolve
