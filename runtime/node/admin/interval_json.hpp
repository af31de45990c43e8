// Intervals with their names, and both figures of a confirmation, as JSON.
#pragma once

#include "actors/messages/messages.hpp"
#include "runtime/node/admin/json.hpp"

namespace kevolve {

// Returns [low, high], or null if there is no interval.
json interval_json(double low, double high);
// Returns the basis of the best's interval; of a campaign that an earlier version ended, that of its shapes' pairs.
interval_basis basis_of(const campaign_status& s);
interval_basis basis_of(const finish_record& r);
// Adds "interval", its "coverage", "pairs" and "sessions" (1: within one session), each null if unknown. Adds "ci95",
// the interval's name of before, which is null unless the coverage is 95 % or more.
void add_interval(json& out, const speedup_interval& x, const interval_basis& basis);
// Adds "baselines", one entry each, and which of them is the best: "best_baseline", "speedup_vs_best_baseline". The
// "baseline_headline" is what a result begins with.
void add_baselines(json& out, const baseline_figures& all);
// Returns both figures of a confirmation and the one that is its headline; null if there was none.
json outputs_json(const outputs_figures& x, double headline);

} // namespace kevolve
