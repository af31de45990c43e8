#include "config/fill_promises.hpp"

#include "config/task_symbols.hpp"
#include "runtime/base/fill_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kevolve {

namespace {

// A normal distribution has no ends. Values beyond so many standard deviations come up once in a thousand million.
constexpr double reach_of_normal = 6.0;

} // namespace

drawn_range drawn_range_of(const argument& a) {
  const auto& f = a.fill;
  if (a.type == dtype::boolean)
    return {0.0, 1.0, "from 0 to 1"};
  if (f.distribution == fill_name::normal)
    return {f.mean - reach_of_normal * f.std, f.mean + reach_of_normal * f.std,
            fmt::format("by a normal distribution of mean {:g} and standard deviation {:g}", f.mean, f.std)};
  if (f.distribution == fill_name::uniform || f.distribution == fill_name::integer
      || f.distribution == fill_name::lengths)
    return {f.low, f.high, fmt::format("from {:g} to {:g}", f.low, f.high)};
  if (f.distribution == fill_name::offsets)
    return {0.0, std::nullopt, "from 0 on, as offsets begin"};
  return {};
}

std::string why_not_sorted(const contract& task, const argument& a, bool strict) {
  const auto& f = a.fill;
  if (std::all_of(a.shape.begin(), a.shape.end(), [](const auto& extent) { return extent == "1"; }))
    return {}; // one element
  if (f.distribution == fill_name::sorted_unique)
    return {};
  if (f.distribution == fill_name::offsets) {
    const auto* lengths = find_argument(task, f.of);
    return strict && lengths != nullptr && lengths->fill.low <= 0.0
               ? "is drawn as the offsets of '" + f.of
                     + "', whose lengths may be 0, so that equal values follow: draw lengths of at least 1, or leave "
                       "strict out"
               : std::string{};
  }
  const bool ranged = f.distribution == fill_name::uniform || f.distribution == fill_name::integer
                      || f.distribution == fill_name::lengths;
  if (!ranged || f.low < f.high)
    return "is drawn in any order (" + f.distribution
           + "): give its fill the distribution sorted_unique, or take the assertion away";
  return strict ? fmt::format("is drawn as {:g} alone, so that all values are equal: leave strict out", f.low)
                : std::string{};
}

} // namespace kevolve
