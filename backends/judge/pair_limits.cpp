#include "backends/judge/pair_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kevolve {

namespace {

constexpr uint32_t patience = 8; // times the usual time, for a promotion of fast calls

std::string undecided(const pair_limits& x, const std::string& why) {
  return fmt::format("undecided after {} pair{}: {}", x.pairs, x.pairs == 1 ? "" : "s", why);
}

std::string seconds(std::chrono::nanoseconds t) {
  return fmt::format("{:.3g} s", std::chrono::duration<double>{t}.count());
}

std::string limit_for_those_who_lead(const pair_limits& x, std::chrono::nanoseconds most) {
  if (x.pairs >= x.most_pairs)
    return undecided(x, "the most there are");
  return x.spent > most ? undecided(x, "they lean to a gain, and the limit of " + seconds(most) + " has passed") : "";
}

} // namespace

std::string limit_of_screening(const pair_limits& x) {
  if (x.pairs < std::min(least_pairs, x.most_pairs))
    return {};
  if (!x.leads && x.pairs < x.most_pairs && x.spent > x.usual)
    return undecided(x, "they do not lean to a gain, and the usual " + seconds(x.usual) + " have passed");
  return limit_for_those_who_lead(x, std::max(x.usual, x.most));
}

bool goes_on(const pair_limits& x) {
  return x.pairs >= least_pairs && x.spent > x.usual;
}

std::string limit_of_promotion(const pair_limits& x) {
  if (!x.leads)
    return undecided(x, "they do not lean to a gain");
  return limit_for_those_who_lead(x, std::max(patience * x.usual, x.most));
}

uint32_t rounds_wanted(uint32_t min_interval_pairs, std::chrono::nanoseconds one_round, std::chrono::nanoseconds time) {
  constexpr double most_for_people = 6.0; // times as many as at least
  const auto least = std::max(min_interval_pairs, 1U);
  if (least < figures_for_people)
    return least;
  const auto fit = std::chrono::duration<double>{time}
                   / std::max<std::chrono::duration<double>>(one_round, std::chrono::nanoseconds{1});
  return static_cast<uint32_t>(std::clamp(fit, 1.0 * least, most_for_people * least));
}

} // namespace kevolve
