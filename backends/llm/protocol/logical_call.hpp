// One request's attempts over its providers, and the decision about the next step. The state is a plain value; callers
// pass the time, and the seed makes the jitter reproducible.
#pragma once

#include "backends/llm/ledger/waiting.hpp"
#include "backends/llm/protocol/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve::llm {

struct call_rules {
  failure_rules failing;
  milliseconds limit{1'800'000}; // for all attempts together
};

// A failed attempt. Stored with the call.
struct failed_attempt {
  size_t provider = 0;
  instant at{};
  failure_class what = failure_class::none;
  std::string words;
};

struct logical_call {
  instant begun{};
  uint64_t seed = 0;
  std::map<size_t, uint32_t> attempts; // failed attempts by provider
  std::set<size_t> tried;              // providers that the request is not sent to again; passed to routing's choose()
  std::vector<failed_attempt> trail;
};

enum class call_step : uint8_t { send_again = 0, send_elsewhere, give_up };

struct call_decision {
  call_step step = call_step::give_up;
  instant at{};       // send_again: the earliest time of the next attempt
  std::string reason; // text for a person
};

// Records a failed attempt at `provider` and returns the next step.
call_decision after_failure(logical_call& call, size_t provider, const remedy& r, instant now,
                            const call_rules& rules = {});

} // namespace kevolve::llm
