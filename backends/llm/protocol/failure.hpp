// Classifies the failures of model calls and decides what to do about them, with one taxonomy for all vendors.
#pragma once

#include "backends/llm/ledger/waiting.hpp"
#include "backends/llm/protocol/exchange.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve::llm {

enum class failure_class : uint8_t {
  none = 0,
  auth,             // the key is missing or wrong
  permission,       // the key lacks the permission
  quota_exhausted,  // no credit left; waiting does not help
  rate_limited,     // too many requests or tokens at once
  overloaded,       // the provider is overloaded
  timeout,          // the provider reported a time-out
  conflict,         // 409: a lock on the provider's side
  server_error,     // the provider's internal error
  not_found,        // no such model or path
  bad_request,      // the request is invalid
  too_large,        // the request exceeds the provider's size limit
  context_too_long, // the prompt exceeds the model's context
  content_refused,  // a filter or the model refused
  output_truncated, // max_tokens was reached
  malformed_output, // the answer violates its format
  redirected,       // a redirect; following it would send prompt and key elsewhere
  network,          // no connection, or it broke before an answer
  tls,              // the peer's certificate could not be verified
  cut,              // the stream ended without its terminal marker
  stalled,          // no content for too long
  unknown,
};
constexpr failure_class last_value(failure_class) {
  return failure_class::unknown;
}
std::string to_string(failure_class c);

enum class failure_action : uint8_t {
  retry = 0,     // repeat the same request at the same provider, after `delay` or a back-off
  never,         // no repetition of this request can succeed, at any provider
  hold_provider, // put the provider on hold until `delay` has passed; without one, until a person resumes it
  next_provider, // send this request to another provider; with a `delay`, this one is suspended meanwhile
};
std::string to_string(failure_action a);

struct remedy {
  failure_class what = failure_class::none;
  failure_action action = failure_action::retry;
  std::optional<milliseconds> delay;
  std::string words; // for a person: the failure and, where they can act, the remedy
};

// The way in which a connection failed before or during an answer.
enum class transport_trouble : uint8_t { unreachable = 0, reset, name_not_found, tls_failed, timed_out, stalled };

struct failure_rules {
  milliseconds longest_wait{120'000}; // a request with a longer requested wait goes to another provider
  uint32_t most_attempts = 5;         // attempts of one request at one provider
  backoff_rules wait;
};

// Returns the remedy for an HTTP status other than 2xx, or for a 2xx answer with an unreadable body.
remedy remedy_for_answer(int status, const header_list& headers, std::string_view body, instant now,
                         const failure_rules& rules = {});
// Returns the remedy for an error in a reply: one sent in a stream after status 200, or found while decoding.
remedy remedy_for_reply(const reply_error& error, instant now, const failure_rules& rules = {});
remedy remedy_for_transport(transport_trouble trouble);
// Returns the remedy for a complete reply that is no answer: refused, truncated or context full. Null: the reply is
// fine.
std::optional<remedy> remedy_for_finish(const reply& r);

// Returns the remedy after attempt number `attempt` (from 0) failed. A retry waits for the requested time plus a
// back-off. When the attempts are used up, it becomes next_provider.
remedy after_attempt(remedy r, uint32_t attempt, uint64_t seed, const failure_rules& rules = {});

} // namespace kevolve::llm
