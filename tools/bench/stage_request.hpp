// The judge's parameters for each stage, as actors/evaluator.cpp sets them: the benchmarks must ask for the same work.
#pragma once

#include "actors/evaluation/plan.hpp"
#include "backends/protocol.hpp"

namespace kevolve::bench {

inline judge_request stage_request(const contract& task, stage s) {
  judge_request q;
  q.job = random_id();
  q.mode = s == stage::race ? judge_mode::race : judge_mode::confirm;
  q.task = task;
  q.limit_ms = s == stage::race ? 60'000 : 180'000;
  q.max_pairs = 30;
  q.race_ms = 1'500;
  q.screen_out = 1.08;
  q.min_interval_pairs = s == stage::final_confirm ? 30 : 12;
  if (s != stage::race)
    q.alpha = 0.01;
  return q;
}

} // namespace kevolve::bench
