// What went wrong with a call of a model, and what to do about it: one taxonomy for all vendors.
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
  permission,       // the key may not do this
  quota_exhausted,  // no money left: waiting does not help
  rate_limited,     // too much at once
  overloaded,       // the provider has too much to do
  timeout,          // the provider says that it took too long
  conflict,         // 409: a lock on their side
  server_error,     // theirs
  not_found,        // no such model or path
  bad_request,      // our request is wrong
  too_large,        // our request is larger than they take
  context_too_long, // the prompt is longer than the model's context
  content_refused,  // a filter or the model refused
  output_truncated, // max_tokens was reached
  malformed_output, // their answer is not what the format says
  redirected,       // followed, it would send prompt and key elsewhere
  network,          // no connection, or it broke before an answer
  tls,              // the connection's other end could not prove who it is
  cut,              // the stream ended without its end mark
  stalled,          // no content for too long
  unknown,
};
constexpr failure_class last_value(failure_class) {
  return failure_class::unknown;
}
std::string to_string(failure_class c);

enum class failure_action : uint8_t {
  retry = 0,     // the same request to the same provider, after `delay` or a back-off
  never,         // no repetition of this request can succeed, anywhere
  hold_provider, // nothing more to this provider: until `delay` has passed, without one until a person mends it
  next_provider, // this request to another; with a `delay`, this one rests meanwhile
};
std::string to_string(failure_action a);

struct remedy {
  failure_class what = failure_class::none;
  failure_action action = failure_action::retry;
  std::optional<milliseconds> delay;
  std::string words; // for a person: what it was and, where they can do something, what to do
};

// How a connection failed before or while there was an answer.
enum class transport_trouble : uint8_t { unreachable = 0, reset, name_not_found, tls_failed, timed_out, stalled };

struct failure_rules {
  milliseconds longest_wait{120'000}; // asked to wait longer: the request goes elsewhere meanwhile
  uint32_t most_attempts = 5;         // of one request at one provider
  backoff_rules wait;
};

// An HTTP status other than 2xx, or a 2xx answer that could not be read (then `body` is it).
remedy remedy_for_answer(int status, const header_list& headers, std::string_view body, instant now,
                         const failure_rules& rules = {});
// An error that came in a reply: in a stream after 200, or found while decoding.
remedy remedy_for_reply(const reply_error& error, instant now, const failure_rules& rules = {});
remedy remedy_for_transport(transport_trouble trouble);
// A reply that is complete and yet no answer: refused, truncated, context full. Null: it is fine.
std::optional<remedy> remedy_for_finish(const reply& r);

// The remedy once `attempt` (from 0) has failed so: retries wait what was asked for and a back-off on top, and become
// next_provider when the attempts are used up.
remedy after_attempt(remedy r, uint32_t attempt, uint64_t seed, const failure_rules& rules = {});

} // namespace kevolve::llm
