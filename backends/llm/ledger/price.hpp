// What a call costs. An unknown price makes the cost unknown, never zero.
#pragma once

#include "backends/llm/protocol/exchange.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kevolve::llm {

// Money in billionths of the table's unit: sums are exact, and a token of the cheapest model is no rounding error.
using nano_money = int64_t;

// Units of money for a million tokens.
struct price {
  double input = 0.0;
  double output = 0.0;                  // reasoning included
  std::optional<double> cached_read;    // absent: as input
  std::optional<double> cache_write;    // absent: as input
  std::optional<double> cache_write_1h; // absent: as cache_write
};

struct price_table {
  std::string version;  // stored with every call
  std::string currency; // "USD"
  // Model, or "model@tier" for a service tier that has its own price. A key that ends in * stands for all models that
  // begin so; the longest wins.
  std::map<std::string, price> prices;
};

// errc::bad_input names the first entry that is negative or not finite.
result<price_table> checked(price_table t);

// The model answered, else the one asked. Tiers other than "", default, standard and auto need their own entry.
const price* find_price(const price_table& t, const std::string& model, const std::string& tier);

// Null if the price or one of input and output is unknown.
std::optional<nano_money> cost_of(const price* p, const token_counts& used);
// At most this: nothing cached, all written to the dearest cache, every output token used.
std::optional<nano_money> worst_cost(const price* p, int64_t input_tokens, int64_t output_tokens);

} // namespace kevolve::llm
