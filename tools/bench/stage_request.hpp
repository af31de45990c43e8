// The judge's request for a stage, with an evaluator's parameters.
#pragma once

#include "actors/evaluation/plan.hpp"
#include "backends/protocol.hpp"

namespace kevolve::bench {

inline judge_request stage_request(const contract& task, stage s) {
  judge_request q;
  q.job = random_id();
  q.task = task;
  ask_for(s, q);
  return q;
}

} // namespace kevolve::bench
