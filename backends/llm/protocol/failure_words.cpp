#include "backends/llm/protocol/failure_words.hpp"

#include <array>

namespace kevolve::llm {

namespace {

struct known_word {
  std::string_view word;
  failure_class what;
};

// Types and codes, compared as a whole, ignoring case.
constexpr std::array<known_word, 44> codes{{
    {"insufficient_quota", failure_class::quota_exhausted},
    {"billing_error", failure_class::quota_exhausted},
    {"billing_hard_limit_reached", failure_class::quota_exhausted},
    {"billing_not_active", failure_class::quota_exhausted},
    {"insufficient_balance", failure_class::quota_exhausted},
    {"access_terminated", failure_class::permission},
    {"account_deactivated", failure_class::permission},
    {"context_length_exceeded", failure_class::context_too_long},
    {"context_window_exceeded", failure_class::context_too_long},
    {"exceed_context_size_error", failure_class::context_too_long},
    {"string_above_max_length", failure_class::context_too_long},
    {"content_filter", failure_class::content_refused},
    {"content_policy_violation", failure_class::content_refused},
    {"invalid_prompt", failure_class::content_refused},
    {"data_inspection_failed", failure_class::content_refused},
    {"responsibleaipolicyviolation", failure_class::content_refused},
    {"authentication_error", failure_class::auth},
    {"invalid_api_key", failure_class::auth},
    {"unauthenticated", failure_class::auth},
    {"unauthorized", failure_class::auth},
    {"permission_error", failure_class::permission},
    {"permission_denied", failure_class::permission},
    {"unsupported_country_region_territory", failure_class::permission},
    {"model_not_found", failure_class::not_found},
    {"not_found_error", failure_class::not_found},
    {"deployment_not_found", failure_class::not_found},
    {"deploymentnotfound", failure_class::not_found},
    {"rate_limit_error", failure_class::rate_limited},
    {"rate_limit_exceeded", failure_class::rate_limited},
    {"too_many_requests", failure_class::rate_limited},
    {"resource_exhausted", failure_class::rate_limited},
    {"request_limit_exceeded", failure_class::rate_limited},
    {"overloaded_error", failure_class::overloaded},
    {"server_is_overloaded", failure_class::overloaded},
    {"engine_overloaded", failure_class::overloaded},
    {"slow_down", failure_class::overloaded},
    {"unavailable", failure_class::overloaded},
    {"unavailable_error", failure_class::overloaded},
    {"timeout_error", failure_class::timeout},
    {"deadline_exceeded", failure_class::timeout},
    {"request_too_large", failure_class::too_large},
    {"api_error", failure_class::server_error},
    {"server_error", failure_class::server_error},
    {"internal_error", failure_class::server_error},
}};

// Parts of messages in lower case, for servers whose types are unspecific.
constexpr std::array<known_word, 19> phrases{{
    {"credit balance is too low", failure_class::quota_exhausted},
    {"insufficient balance", failure_class::quota_exhausted},
    {"insufficient credits", failure_class::quota_exhausted},
    {"exceeded your current quota", failure_class::quota_exhausted},
    {"requires more credits", failure_class::quota_exhausted},
    {"prompt is too long", failure_class::context_too_long},
    {"input is too long", failure_class::context_too_long},
    {"maximum context length", failure_class::context_too_long},
    {"maximum prompt length", failure_class::context_too_long},
    {"exceeds the available context size", failure_class::context_too_long},
    {"exceeds the context window", failure_class::context_too_long},
    {"exceed context limit", failure_class::context_too_long},
    {"input token count exceeds", failure_class::context_too_long},
    {"api key not valid", failure_class::auth},
    {"invalid api key", failure_class::auth},
    {"incorrect api key", failure_class::auth},
    {"content management policy", failure_class::content_refused},
    {"loading model", failure_class::overloaded},
    {"model is overloaded", failure_class::overloaded},
}};

std::string lowered(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

failure_class class_of_code(std::string_view code) {
  const auto word = lowered(code);
  for (const auto& known : codes)
    if (word == known.word)
      return known.what;
  return failure_class::none;
}

} // namespace

failure_class class_of_words(const reply_error& error) {
  // Exhausted credit is checked first: OpenAI sends insufficient_quota as type and code with 429; other providers
  // combine it with rate_limit_error.
  const auto by_code = class_of_code(error.code);
  const auto by_type = class_of_code(error.type);
  if (by_code == failure_class::quota_exhausted || by_type == failure_class::quota_exhausted)
    return failure_class::quota_exhausted;
  const auto message = lowered(error.message);
  auto by_message = failure_class::none;
  for (const auto& known : phrases)
    if (message.find(known.word) != std::string::npos) {
      by_message = known.what;
      break;
    }
  // Gemini's free tier says "exceeded your current quota" when a wait of a minute suffices.
  if (by_message == failure_class::quota_exhausted && lowered(error.type) == "resource_exhausted")
    by_message = failure_class::none;
  if (by_code != failure_class::none)
    return by_code;
  return by_message != failure_class::none ? by_message : by_type;
}

failure_class class_of_status(int status) {
  switch (status) {
    case 401:
      return failure_class::auth;
    case 402:
      return failure_class::quota_exhausted;
    case 403:
    case 451:
      return failure_class::permission;
    case 404:
    case 405:
    case 410:
      return failure_class::not_found;
    case 407:
      return failure_class::network; // the proxy's error
    case 408:
    case 504:
    case 522:
    case 524:
      return failure_class::timeout;
    case 409:
      return failure_class::conflict;
    case 413:
    case 414:
    case 431:
      return failure_class::too_large;
    case 425:
    case 429:
      return failure_class::rate_limited;
    case 503:
    case 529:
      return failure_class::overloaded;
    default:
      break;
  }
  if (status >= 200 && status < 300)
    return failure_class::malformed_output;
  if (status >= 300 && status < 400)
    return failure_class::redirected;
  if (status >= 400 && status < 500)
    return failure_class::bad_request;
  return status >= 500 && status < 600 ? failure_class::server_error : failure_class::unknown;
}

std::string_view advice(failure_class c) {
  switch (c) {
    case failure_class::auth:
      return "check the key that the provider's configuration names";
    case failure_class::permission:
      return "the key may not use this model or path: change the key's rights or the model";
    case failure_class::quota_exhausted:
      return "the account has no money left: add credit, then resume";
    case failure_class::not_found:
      return "check the provider's base URL and the model's name";
    case failure_class::redirected:
      return "redirects are not followed: set the base URL to where the provider really is";
    case failure_class::tls:
      return "the server's certificate could not be verified: check the base URL and the configured CA";
    case failure_class::bad_request:
      return "the provider does not take this request: check its wire format and extra body members";
    case failure_class::context_too_long:
    case failure_class::too_large:
      return "set the generator's context_tokens below what the model takes";
    case failure_class::network:
      return "check the provider's address, and that its server runs";
    default:
      return {};
  }
}

} // namespace kevolve::llm
