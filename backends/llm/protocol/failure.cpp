#include "backends/llm/protocol/failure.hpp"

#include "backends/llm/protocol/failure_words.hpp"
#include "backends/llm/protocol/wire.hpp"

#include <array>

namespace kevolve::llm {

namespace {

failure_action action_for(failure_class c) {
  switch (c) {
    case failure_class::none:
    case failure_class::rate_limited:
    case failure_class::overloaded:
    case failure_class::timeout:
    case failure_class::conflict:
    case failure_class::server_error:
    case failure_class::malformed_output:
    case failure_class::network:
    case failure_class::cut:
    case failure_class::stalled:
      return failure_action::retry;
    case failure_class::auth:
    case failure_class::permission:
    case failure_class::quota_exhausted:
    case failure_class::not_found:
    case failure_class::redirected:
    case failure_class::tls:
      return failure_action::hold_provider;
    case failure_class::too_large:
    case failure_class::context_too_long:
    case failure_class::content_refused:
    case failure_class::unknown:
      return failure_action::next_provider;
    case failure_class::bad_request:
    case failure_class::output_truncated:
      return failure_action::never;
  }
  return failure_action::next_provider;
}

std::string words_for(failure_class c, int status, const reply_error& error) {
  std::string out = to_string(c);
  if (status != 0)
    out += " (HTTP " + std::to_string(status) + ")";
  if (!error.message.empty())
    out += ": " + error.message;
  if (const auto what = advice(c); !what.empty())
    out += "; " + std::string{what};
  return out;
}

bool is_markup(std::string_view body) {
  const auto first = body.find_first_not_of(" \t\r\n\xef\xbb\xbf"); // skips blanks and the byte order mark
  return first != std::string_view::npos && body[first] == '<';
}

void apply_wait(remedy& r, std::optional<milliseconds> wait, const failure_rules& rules) {
  if (!wait || r.action != failure_action::retry)
    return;
  r.delay = wait;
  if (*wait > rules.longest_wait)
    r.action = failure_action::next_provider;
}

} // namespace

std::string to_string(failure_class c) {
  constexpr std::array<std::string_view, 22> names{"none",
                                                   "auth",
                                                   "permission",
                                                   "quota_exhausted",
                                                   "rate_limited",
                                                   "overloaded",
                                                   "timeout",
                                                   "conflict",
                                                   "server_error",
                                                   "not_found",
                                                   "bad_request",
                                                   "too_large",
                                                   "context_too_long",
                                                   "content_refused",
                                                   "output_truncated",
                                                   "malformed_output",
                                                   "redirected",
                                                   "network",
                                                   "tls",
                                                   "cut",
                                                   "stalled",
                                                   "unknown"};
  static_assert(names.size() == static_cast<size_t>(failure_class::unknown) + 1);
  return std::string{names.at(static_cast<size_t>(c))};
}

std::string to_string(failure_action a) {
  switch (a) {
    case failure_action::retry:
      return "retry";
    case failure_action::never:
      return "never";
    case failure_action::hold_provider:
      return "hold_provider";
    case failure_action::next_provider:
      return "next_provider";
  }
  return "never";
}

remedy remedy_for_answer(int status, const header_list& headers, std::string_view body, instant now,
                         const failure_rules& rules) {
  const auto error = decode_error(body);
  remedy out;
  // The body of a redirect does not affect the class.
  const auto by_status = class_of_status(status);
  const auto by_words = by_status == failure_class::redirected ? failure_class::none : class_of_words(error);
  out.what = by_words != failure_class::none ? by_words : by_status;
  out.action = action_for(out.what);
  out.words = words_for(out.what, status, error);
  if (out.what == failure_class::malformed_output && is_markup(body))
    out.words += "; that is a web page: check the provider's base URL";
  // The provider's own advice applies, except where a repetition cannot help or would only cost: an invalid key, or no
  // credit left.
  if (const auto* advised = find_header(headers, "x-should-retry");
      advised != nullptr && out.action != failure_action::hold_provider) {
    if (*advised == "true")
      out.action = failure_action::retry;
    else if (*advised == "false" && out.action == failure_action::retry)
      out.action = failure_action::next_provider;
  }
  apply_wait(out, requested_wait(headers, body, now), rules);
  return out;
}

remedy remedy_for_reply(const reply_error& error, instant now, const failure_rules& rules) {
  remedy out;
  switch (error.origin) {
    case error_origin::cut:
      out.what = failure_class::cut;
      break;
    case error_origin::malformed:
    case error_origin::too_large:
    case error_origin::none:
      out.what = failure_class::malformed_output;
      break;
    case error_origin::provider:
      out.what = class_of_words(error);
      if (out.what == failure_class::none)
        out.what = error.status != 0 ? class_of_status(error.status) : failure_class::server_error;
      break;
  }
  // A reply beyond our limits was paid for; a repetition would be as long.
  out.action = error.origin == error_origin::too_large ? failure_action::next_provider : action_for(out.what);
  out.words = words_for(out.what, 0, error);
  apply_wait(out, requested_wait({}, error.message, now), rules);
  return out;
}

remedy remedy_for_transport(transport_trouble trouble) {
  struct meaning {
    failure_class what;
    std::string_view words;
  };
  const auto meaning_of = [](transport_trouble t) -> meaning {
    switch (t) {
      case transport_trouble::unreachable:
        return {failure_class::network, "no connection to the provider"};
      case transport_trouble::reset:
        return {failure_class::network, "the connection broke"};
      case transport_trouble::name_not_found:
        return {failure_class::network, "the provider's host name has no address"};
      case transport_trouble::tls_failed:
        return {failure_class::tls, "the TLS handshake failed"};
      case transport_trouble::timed_out:
        return {failure_class::timeout, "no answer within the limit"};
      case transport_trouble::stalled:
        return {failure_class::stalled, "no content within the limit, keep-alives or not"};
    }
    return {failure_class::unknown, "the connection failed"};
  };
  const auto m = meaning_of(trouble);
  remedy out;
  out.what = m.what;
  out.action = action_for(m.what);
  reply_error said;
  said.message = m.words;
  out.words = words_for(m.what, 0, said);
  return out;
}

std::optional<remedy> remedy_for_finish(const reply& r) {
  remedy out;
  reply_error said;
  if (r.finish == finish_reason::refused || (!r.refusal.empty() && r.text.empty() && r.calls.empty())) {
    out.what = failure_class::content_refused;
    said.message = r.refusal.empty() ? "the model or a filter refused" : r.refusal;
  } else if (r.finish == finish_reason::length) {
    out.what = failure_class::output_truncated;
    said.message = "the reply reached its limit of tokens";
  } else if (r.finish == finish_reason::context_full) {
    out.what = failure_class::context_too_long;
    said.message = "prompt and reply filled the model's context";
  } else {
    return std::nullopt;
  }
  out.action = action_for(out.what);
  out.words = words_for(out.what, 0, said);
  return out;
}

remedy after_attempt(remedy r, uint32_t attempt, uint64_t seed, const failure_rules& rules) {
  if (r.action != failure_action::retry)
    return r;
  if (attempt + 1 >= rules.most_attempts) {
    r.action = failure_action::next_provider;
    r.words += "; given up after " + std::to_string(attempt + 1) + " attempts";
    return r;
  }
  // The requested wait is a lower bound. Jitter is added, so that clients with the same wait do not return at once.
  r.delay = r.delay.value_or(milliseconds{0}) + backoff(attempt, seed, rules.wait);
  return r;
}

} // namespace kevolve::llm
