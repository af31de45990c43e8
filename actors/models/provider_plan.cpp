#include "actors/models/provider_plan.hpp"

#include "runtime/base/provider_kinds.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

std::optional<double> given(double x) {
  return x < 0.0 ? std::nullopt : std::optional<double>{x};
}

std::optional<int64_t> cap(int64_t x) {
  return x == 0 ? std::nullopt : std::optional<int64_t>{x};
}

} // namespace

llm::budget_caps caps_of(const caps_spec& x) {
  constexpr double nano = 1e9;
  constexpr double most = 1e18;
  llm::budget_caps out;
  if (x.cost > 0.0)
    out.money = static_cast<llm::nano_money>(std::llround(std::min(x.cost * nano, most)));
  out.tokens = cap(x.tokens);
  out.calls = cap(x.calls);
  return out;
}

result<provider_plan> plan_of(const provider_spec& spec) {
  auto access = llm::preset(spec.kind);
  if (!access)
    return tl::unexpected(access.error());
  provider_plan p;
  p.name = spec.name;
  p.kind = spec.kind;
  p.model = spec.model;
  p.access = std::move(*access);
  p.access.name = spec.name;
  if (!spec.url.empty())
    p.access.base_url = spec.url;
  if (!spec.key_env.empty() || !spec.key_file.empty()) {
    p.access.key_environment = spec.key_env;
    p.access.needs_key = true;
  } else if (!spec.url.empty())
    p.access.needs_key = false; // the operator's own server: the vendor's key is not sent to it
  for (const auto& [name, value] : spec.headers)
    p.access.extra_headers.emplace_back(name, value);
  if (auto headers = llm::request_headers(p.access, p.access.needs_key ? "checked-without-one" : "", true); !headers)
    return fail(errc::bad_input, "provider '" + spec.name + "': " + headers.error().detail);
  p.prices.currency = spec.price.currency;
  if (spec.price.input >= 0.0)
    p.prices.prices["*"] = {spec.price.input,
                            std::max(0.0, spec.price.output),
                            given(spec.price.cached_read),
                            given(spec.price.cache_write),
                            {}};
  p.budget = {caps_of(spec.total), caps_of(spec.per_day), spec.known_price};
  p.pacing.pacing.most_at_once = static_cast<double>(spec.at_once);
  p.terms = spec.terms;
  p.cache_key = spec.url.empty() && find_provider_kind(spec.kind)->caches_by_key; // llm::preset() found it, too
  return p;
}

} // namespace kevolve
