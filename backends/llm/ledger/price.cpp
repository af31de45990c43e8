#include "backends/llm/ledger/price.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve::llm {

namespace {

// One unit per million tokens is a thousand nano-units per token.
constexpr double nano_per_token = 1'000.0;

nano_money charge(int64_t tokens, double per_million) {
  constexpr double most = 1e18; // bounds absurd usage figures of a server; a few of these can be summed
  return static_cast<nano_money>(std::min(most, std::ceil(static_cast<double>(tokens) * per_million * nano_per_token)));
}

const price* longest_match(const price_table& t, const std::string& name) {
  if (const auto exact = t.prices.find(name); exact != t.prices.end())
    return &exact->second;
  const price* best = nullptr;
  size_t longest = 0;
  for (const auto& [key, p] : t.prices) {
    if (key.empty() || key.back() != '*')
      continue;
    const auto stem = key.size() - 1;
    if (name.compare(0, stem, key, 0, stem) == 0 && (best == nullptr || stem > longest)) {
      best = &p;
      longest = stem;
    }
  }
  return best;
}

} // namespace

result<price_table> checked(price_table t) {
  for (const auto& [model, p] : t.prices)
    for (const double figure :
         {p.input, p.output, p.cached_read.value_or(0), p.cache_write.value_or(0), p.cache_write_1h.value_or(0)})
      if (!std::isfinite(figure) || figure < 0)
        return fail(errc::bad_input, "prices: " + model + ": a price is a number from 0 up");
  return t;
}

const price* find_price(const price_table& t, const std::string& model, const std::string& tier) {
  if (tier.empty() || tier == "default" || tier == "standard" || tier == "auto")
    return model.find('@') == std::string::npos ? longest_match(t, model) : nullptr;
  const auto own = t.prices.find(model + "@" + tier);
  return own == t.prices.end() ? nullptr : &own->second;
}

std::optional<nano_money> cost_of(const price* p, const token_counts& used) {
  if (p == nullptr || !used.input || !used.output)
    return std::nullopt;
  // A server may report more cached tokens than input tokens; the clamps keep the cost non-negative.
  const auto read = std::clamp<int64_t>(used.cached_read.value_or(0), 0, *used.input);
  const auto written = std::clamp<int64_t>(used.cache_write.value_or(0), 0, *used.input - read);
  const auto hour = std::clamp<int64_t>(used.cache_write_1h.value_or(0), 0, written);
  const double write_price = p->cache_write.value_or(p->input);
  return charge(*used.input - read - written, p->input) + charge(read, p->cached_read.value_or(p->input))
         + charge(written - hour, write_price) + charge(hour, p->cache_write_1h.value_or(write_price))
         + charge(*used.output, p->output);
}

std::optional<nano_money> worst_cost(const price* p, int64_t input_tokens, int64_t output_tokens) {
  if (p == nullptr)
    return std::nullopt;
  const double write_price = p->cache_write.value_or(p->input);
  const double dearest = std::max({p->input, write_price, p->cache_write_1h.value_or(write_price)});
  return charge(input_tokens, dearest) + charge(output_tokens, p->output);
}

} // namespace kevolve::llm
