// The judge of native candidates: what it keeps between requests beside what every judge keeps.
#pragma once

#include "backends/judge/judge_context.hpp"
#include "backends/judge/native/core_peaks.hpp"
#include "backends/judge/native/module_baselines.hpp"
#include "backends/judge/native/native_reference.hpp"

namespace kevolve {

struct native_judge_context {
  judge_context common;
  native_sandbox sandbox;
  peak_meter peaks;
  module_process module; // of a task made from a PyTorch module

  native_judge_context(judge_settings s, native_settings native);
};

// Answers a request of any mode.
judge_outcome evaluate_request(native_judge_context& c, const judge_request& request, const request_hooks& hooks);

// Checks a candidate, and screens or confirms it against its baseline, as the mode says.
attempt<void> evaluate_candidate(native_judge_context& c, const judge_request& request, const request_hooks& hooks,
                                 judge_outcome& out);

// Returns the least time that the declared work can take on one of these sets; 0: none is declared.
attempt<double> floor_of(native_judge_context& c, const judge_request& request, const input_sets& inputs);

} // namespace kevolve
