#include "backends/generators/transform/analysis/promises.hpp"

#include "runtime/base/expression.hpp"

#include <algorithm>

namespace kevolve::transform {

bool names_loop(const assertion& a, const stmt& loop) {
  return a.kind == assertion_kind::independent && (a.loop.empty() ? a.line == loop.line : a.loop == loop.name);
}

bool asserted_independent(const contract& task, const stmt& loop) {
  return std::any_of(task.assertions.begin(), task.assertions.end(),
                     [&](const assertion& a) { return names_loop(a, loop); });
}

bool asserted_distinct(const contract& task, const std::string& array) {
  return std::any_of(task.assertions.begin(), task.assertions.end(), [&](const assertion& a) {
    return a.kind == assertion_kind::sorted && a.strict && a.argument == array;
  });
}

std::optional<int64_t> asserted_least(const contract& task, const std::string& name) {
  std::optional<int64_t> out;
  for (const auto& a : task.assertions)
    if (a.kind == assertion_kind::range && a.argument == name && !a.low.empty())
      if (const auto e = expression::parse(a.low))
        if (const auto v = e->evaluate({}))
          out = std::max(out.value_or(*v), *v);
  return out;
}

} // namespace kevolve::transform
