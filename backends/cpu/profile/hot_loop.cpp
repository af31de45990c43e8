#include "backends/cpu/profile/hot_loop.hpp"

#include <nlohmann/json.hpp>

namespace kevolve {

namespace {

double rounds_of(const nlohmann::json& l) {
  return l.value("entries", 0.0) * l.value("trips", 0.0);
}

} // namespace

std::optional<source_loop> hottest_loop(const nlohmann::json& loops) {
  const auto found = loops.find("loops");
  if (found == loops.end() || !found->is_array())
    return std::nullopt;
  const nlohmann::json* best = nullptr;
  size_t place = 0;
  for (size_t i = 0; i < found->size(); ++i) {
    const auto& l = (*found)[i];
    if (rounds_of(l) <= 0.0)
      continue;
    const auto own = l.value("self_ns", 0.0);
    const auto most = best == nullptr ? -1.0 : best->value("self_ns", 0.0);
    if (own > most || (own == most && rounds_of(l) > rounds_of(*best))) {
      best = &l;
      place = i;
    }
  }
  if (best == nullptr)
    return std::nullopt;
  const auto timed_ns = best->value("self_ns", 0.0);
  for (bool descended = true; descended;) {
    descended = false;
    const nlohmann::json* inner = nullptr;
    for (size_t i = 0; i < found->size(); ++i) {
      const auto& l = (*found)[i];
      const bool inside = l.value("parent", -1) == static_cast<int>(place) && !l.contains("ns");
      if (inside && rounds_of(l) > (inner == nullptr ? 0.0 : rounds_of(*inner)))
        inner = &l;
    }
    // A loop inside that makes fewer rounds than the one around it is not where the time goes.
    if (inner != nullptr && rounds_of(*inner) >= rounds_of(*best)) {
      best = inner;
      place = static_cast<size_t>(inner - &(*found)[0]);
      descended = true;
    }
  }
  const auto call_ns = loops.value("call_ns", 0.0);
  return source_loop{best->value("line", 0U), best->value("last", 0U), call_ns > 0.0 ? timed_ns / call_ns : 0.0,
                     rounds_of(*best)};
}

} // namespace kevolve
