// Chooses the provider of a call and records how a provider's failures affect later calls. Combines holds, circuit
// breaker and pacing. The state is a plain value; callers pass the time.
#pragma once

#include "backends/llm/ledger/breaker.hpp"
#include "backends/llm/ledger/pacing.hpp"
#include "backends/llm/protocol/failure.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::llm {

struct provider_rules {
  breaker_rules breaking;
  pacing_rules pacing;
};

struct provider_health {
  std::string name;
  provider_rules rules;
  bool held = false; // on hold until `held_until`, or until a person resumes it if that is null
  std::optional<instant> held_until;
  std::string held_because;
  breaker breaking;
  std::string last_sickness; // the last failure that concerns the provider's health
  pacing_state pacing;
};

// The reason why a provider gets no calls for now.
struct provider_rest {
  std::string because;
  std::optional<instant> until; // null: until a person resumes it
  bool failing = false;         // the circuit breaker is open
};
std::optional<provider_rest> rest_of(const provider_health& p, instant now);

// A provider that was not chosen, and the reason. Stored with the call.
struct passed_over {
  std::string provider;
  std::string reason;
};

struct route {
  std::optional<size_t> provider;   // the provider that takes the call now; null: none
  std::optional<milliseconds> wait; // no provider takes it now, but one may after this time
  bool one_lands = false;           // no provider takes it now, but one may when a call in flight has ended
  // Providers passed over, in order; if the call cannot go at all, the reasons for pausing.
  std::vector<passed_over> trail;
};

// Returns the first provider that accepts a call of this size now. `order` lists the candidates by preference. `tried`
// lists providers that this request must not be sent to again.
route choose(const std::vector<provider_health>& providers, const std::vector<size_t>& order,
             const std::set<size_t>& tried, const call_size& size, instant now);
// Does the same over all providers in the order given.
route choose(const std::vector<provider_health>& providers, const std::set<size_t>& tried, const call_size& size,
             instant now);

// Reports a call as sent and returns the epoch to report with its end. Null: it must not go after all.
std::optional<uint64_t> send(provider_health& p, const call_size& size, instant now);
// `headers` are those of the answer, empty if there was none.
void ended_well(provider_health& p, uint64_t epoch, const header_list& headers, instant now);
void ended_badly(provider_health& p, uint64_t epoch, const remedy& r, const header_list& headers, instant now);
// Reports a call that we cancelled.
void ended_unheard(provider_health& p, uint64_t epoch);
// Ends a hold, on a person's request.
void resume(provider_health& p);

} // namespace kevolve::llm
