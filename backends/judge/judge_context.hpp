// The five kinds of request, from request to outcome.
#pragma once

#include "backends/judge/input_sets.hpp"
#include "backends/judge/peaks.hpp"
#include "backends/judge/shared_arena.hpp"
#include "backends/judge/zygote_client.hpp"
#include "backends/protocol.hpp"

namespace kevolve {

// What outlives a request.
struct judge_context {
  judge_settings settings;
  zygote_client zygote;
  shared_arena comparison_arena;
  shared_arena pool_arena;
  input_set_cache pools;
  peak_meter peaks;
  reference_launcher launch_reference; // native objects, unless a target has others
  bool native_reference = true;

  explicit judge_context(judge_settings s);
};

judge_outcome evaluate_request(judge_context& c, const judge_request& request, const request_hooks& hooks);

// Inside evaluate_request; here so that each fits a file of its own.
attempt<void> admit(judge_context& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out);
attempt<void> check(judge_context& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out);
attempt<void> screening(judge_context& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out);

} // namespace kevolve
