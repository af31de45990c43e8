// Judges one candidate without a search, with the same evaluator as a campaign's.
#pragma once

#include "actors/messages/messages.hpp"
#include "config/campaign.hpp"
#include "runtime/node/node.hpp"

#include <chrono>

namespace kevolve {

struct single_evaluation {
  preparation fixed; // if admission.result is not pass, the task is refused
  evaluation outcome;
  int64_t judged_before_ns = 0; // wall clock time at which this data directory's last judgement of it was stored; 0:
                                // judged now
};

// Compiles, checks on declared and held-out shapes, and times against the reference in fresh processes; against
// another candidate, if one is given. Blocks the calling thread, which must not be an actor's.
result<single_evaluation> evaluate_once(node& where, const campaign_spec& spec, const candidate& what,
                                        std::chrono::seconds limit, const candidate* baseline = nullptr);

} // namespace kevolve
