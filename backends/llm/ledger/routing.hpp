// Which provider a call goes to, and what a provider's failures mean for the calls after it: holds, breaker and pacing
// taken together. A value; every function is told what time it is.
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
  bool held = false; // until `held_until`, or without one until a person resumes it
  std::optional<instant> held_until;
  std::string held_because;
  breaker breaking;
  std::string last_sickness; // what its last failure was, if that speaks of its health
  pacing_state pacing;
};

// Why a provider gets no calls for now.
struct provider_rest {
  std::string because;
  std::optional<instant> until; // without one: until a person resumes it
  bool failing = false;         // it is the breaker's
};
std::optional<provider_rest> rest_of(const provider_health& p, instant now);

// Why a provider was not taken: stored with the call.
struct passed_over {
  std::string provider;
  std::string reason;
};

struct route {
  std::optional<size_t> provider;   // takes the call now
  std::optional<milliseconds> wait; // none does, but one may after this
  bool one_lands = false;           // none does, but one may when a call in flight has ended
  std::vector<passed_over> trail;   // in order; with none of the above: the reasons to pause with
};

// The first that may take a call of this size now. `order`: the providers that may be asked at all, as they are to be
// tried. `tried`: those that this request is not sent to again.
route choose(const std::vector<provider_health>& providers, const std::vector<size_t>& order,
             const std::set<size_t>& tried, const call_size& size, instant now);
// The same, of all, in the order given.
route choose(const std::vector<provider_health>& providers, const std::set<size_t>& tried, const call_size& size,
             instant now);

// The call goes out: its epoch comes back with its end. Null: it may not go after all.
std::optional<uint64_t> send(provider_health& p, const call_size& size, instant now);
// `headers`: of the answer, empty where there was none.
void ended_well(provider_health& p, uint64_t epoch, const header_list& headers, instant now);
void ended_badly(provider_health& p, uint64_t epoch, const remedy& r, const header_list& headers, instant now);
// Cancelled by us.
void ended_unheard(provider_health& p, uint64_t epoch);
// A person has mended it.
void resume(provider_health& p);

} // namespace kevolve::llm
