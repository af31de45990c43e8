#include "actors/evaluation/false_discovery.hpp"

#include <cmath>

namespace kevolve {

namespace {

constexpr double decay = 1.2;
constexpr double zeta_of_decay = 5.591582441177751; // the sum of t^-1.2

} // namespace

double share_of_level(uint64_t test) {
  return test == 0 ? 0.0 : std::pow(static_cast<double>(test), -decay) / zeta_of_decay;
}

double next_level(double alpha, const promotion_ledger& ledger) {
  return alpha * share_of_level(ledger.tests + 1) * static_cast<double>(ledger.discoveries + 1);
}

bool is_discovery(double log_e, double level) {
  return level > 0.0 && log_e >= -std::log(level);
}

void count_test(promotion_ledger& ledger, bool discovery) {
  ++ledger.tests;
  if (discovery)
    ++ledger.discoveries;
}

} // namespace kevolve
