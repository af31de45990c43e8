// One request's way through its providers: how often each was tried, and what comes next. A value over virtual time;
// the seed makes its jitter the same again.
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

// Stored with the call.
struct failed_attempt {
  size_t provider = 0;
  instant at{};
  failure_class what = failure_class::none;
  std::string words;
};

struct logical_call {
  instant begun{};
  uint64_t seed = 0;
  std::map<size_t, uint32_t> attempts; // that failed, by provider
  std::set<size_t> tried;              // not sent to again: for routing's choose()
  std::vector<failed_attempt> trail;
};

enum class call_step : uint8_t { send_again = 0, send_elsewhere, give_up };

struct call_decision {
  call_step step = call_step::give_up;
  instant at{};       // send_again: not before
  std::string reason; // for a person
};

// What to do after an attempt at `provider` failed so.
call_decision after_failure(logical_call& call, size_t provider, const remedy& r, instant now,
                            const call_rules& rules = {});

} // namespace kevolve::llm
