// The cost of a call. If the price is unknown, the cost is unknown, never zero.
#pragma once

#include "backends/llm/protocol/exchange.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kevolve::llm {

// Money in billionths of the table's unit, so that sums are exact and one token of the cheapest model is not rounded
// away.
using nano_money = int64_t;

// Prices in units of money per million tokens.
struct price {
  double input = 0.0;
  double output = 0.0;                  // includes reasoning tokens
  std::optional<double> cached_read;    // null: the price of input
  std::optional<double> cache_write;    // null: the price of input
  std::optional<double> cache_write_1h; // null: the price of cache_write
};

struct price_table {
  std::string version;  // stored with every call
  std::string currency; // for example "USD"
  // Keys are a model, or "model@tier" for a service tier with its own price. A key that ends in * matches all models
  // with that prefix; the longest match wins.
  std::map<std::string, price> prices;
};

// Returns the table if it is valid. errc::bad_input names the first price that is negative or not finite.
result<price_table> checked(price_table t);

// Returns the price of that model, or null if the table has none. Tiers other than "", default, standard and auto need
// their own entry.
const price* find_price(const price_table& t, const std::string& model, const std::string& tier);

// Returns the cost of that usage; null if the price, the input count or the output count is unknown.
std::optional<nano_money> cost_of(const price* p, const token_counts& used);
// Returns an upper bound: nothing is read from a cache, all input is written to the dearest cache, and every output
// token is used.
std::optional<nano_money> worst_cost(const price* p, int64_t input_tokens, int64_t output_tokens);

} // namespace kevolve::llm
