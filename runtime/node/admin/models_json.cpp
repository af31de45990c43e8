#include "runtime/node/admin/models_json.hpp"

namespace kevolve {

namespace {

json count(int64_t x) {
  return x == unknown_count ? json(nullptr) : json(x);
}

json money_of(int64_t nano) {
  return nano == unknown_count ? json(nullptr) : json(static_cast<double>(nano) / 1e9);
}

} // namespace

json to_json(const model_spending& x) {
  return {{"calls", x.calls},
          {"tokens", x.tokens},
          {"tokens_out", x.output_tokens},
          {"cost", x.calls == x.unpriced_calls ? json(nullptr) : money_of(x.money)},
          {"unpriced_calls", x.unpriced_calls},
          {"currency", or_null(x.currency)}};
}

json to_json(const call_record& x) {
  return {{"number", x.number},
          {"provider", x.provider},
          {"model", x.model},
          {"request_sha256", x.request},
          {"begun", time_json(x.begun_ns)},
          {"ended", x.ended_ns == 0 ? json(nullptr) : time_json(x.ended_ns)},
          {"outcome", or_null(x.outcome)},
          {"detail", or_null(x.detail)},
          {"status", x.status == 0 ? json(nullptr) : json(x.status)},
          {"model_answered", or_null(x.model_answered)},
          {"finish", or_null(x.finish)},
          {"first_content_us", count(x.first_content_us)},
          {"tokens",
           {{"reserved", x.reserved_tokens},
            {"input", count(x.input_tokens)},
            {"cached", count(x.cached_tokens)},
            {"output", count(x.output_tokens)},
            {"reasoning", count(x.reasoning_tokens)}}},
          {"cost", money_of(x.money)},
          {"currency", or_null(x.currency)},
          {"terms", or_null(x.terms)}};
}

json to_json(const provider_status& x) {
  return {
      {"name", x.name},
      {"kind", or_null(x.kind)},
      {"model", or_null(x.model)},
      {"state", x.state},
      {"reason", or_null(x.reason)},
      {"until", x.until_ns == 0 ? json(nullptr) : time_json(x.until_ns)},
      {"in_flight", x.in_flight},
      {"spent", to_json(model_spending{x.calls, x.tokens, x.output_tokens, x.money, x.unpriced_calls, x.currency})}};
}

} // namespace kevolve
