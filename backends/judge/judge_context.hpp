// The state that a judge keeps between requests, whatever its target, and the admission of a task, which needs no more.
#pragma once

#include "backends/judge/input_set_maker.hpp"
#include "backends/judge/judge_settings.hpp"
#include "backends/judge/reference_process.hpp"
#include "backends/judge/shared_arena.hpp"
#include "backends/protocol.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// A reference on its admission, with the input sets it has made.
struct reference_under_test {
  const judge_request& request;
  const request_hooks& hooks;
  const std::vector<std::shared_ptr<const input_sets>>& all_inputs;
  const input_sets& smallest;                                                   // of these
  std::shared_ptr<const input_sets> draws;                                      // adversarial
  std::function<evaluation_error(const input_sets&, evaluation_error)> explain; // an error of a call on a set of these
};

// Runs the references of a task.
struct reference_runner {
  reference_launcher launch;
  // Judges the reference as if it were a candidate. Empty where its process cannot be: a framework's.
  std::function<attempt<void>(const reference_under_test&, judge_outcome&)> judge_as_candidate;
  std::shared_ptr<set_source> device = {}; // makes sets where the device is; null: all of them are made here

  bool sandboxed() const { return static_cast<bool>(judge_as_candidate); }
};

struct judge_context {
  judge_settings settings;
  shared_arena input_arena; // for reference and oracle; no candidate maps it
  input_set_cache input_cache;
  reference_runner references; // of the request in progress

  explicit judge_context(const judge_settings& s) : settings(s), input_cache(settings.cache_bytes) {}
};

// Runs an evaluation and makes the outcome of its end: verdict or fault. `who` is named where memory runs out.
judge_outcome run_request(const judge_request& request, const std::string& who,
                          const std::function<attempt<void>(judge_outcome&)>& evaluate);

// Checks that a task is sound, by its reference alone.
attempt<void> admit(judge_context& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out);

} // namespace kevolve
