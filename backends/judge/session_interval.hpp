// The interval of a figure that was measured in several sessions, each with its own processes.
//
// Pairs of one session share what their processes drew when they started: addresses, page placement, order of loading.
// That moves all of them alike, by 0.2 to 0.7 % here, and no number of further pairs shows it. So the sessions are the
// unit: with S session medians m of mean M and standard deviation sd, the interval is M -/+ t(0.975, S - 1) * sd /
// sqrt(S), Student's t. It is the random effects interval for the highest level of repetition (Kalibera and Jones,
// Rigorous Benchmarking in Reasonable Time, ISMM 2013, section 6): sd holds the spread between sessions and the error
// within each, so that no second term is added. It supposes that session medians are about normal.
//
// Few sessions make it wide: t is 12.7 for two, 4.3 for three, 2.8 for five. Medians that agree by chance would make it
// narrower than the pairs themselves allow; so it never is: the interval of all pairs within sessions is included.
#pragma once

#include "backends/judge/sequential_test.hpp"

#include <vector>

namespace kevolve {

// The nominal coverage of the interval over sessions.
inline constexpr double coverage_over_sessions = 0.95;

// Returns the median of all values with its interval. With fewer than two sessions it is interval_of_median().
median_interval interval_over_sessions(const std::vector<std::vector<double>>& sessions);

// Cuts the values at the sessions' first places, which are sorted and begin with 0. A last session of less than half of
// the first one joins the one before.
std::vector<std::vector<double>> by_session(const std::vector<double>& values, const std::vector<size_t>& starts);

} // namespace kevolve
