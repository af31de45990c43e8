#include "backends/generators/transform/analysis/profit.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <optional>
#include <string>

namespace kevolve::transform {

namespace {

// Returns how much the value grows when the index grows by one; nothing if that is no constant to be seen at once.
std::optional<int64_t> slope(const expr& e, const std::string& index) {
  if (e.kind == expr_kind::name)
    return e.text == index ? 1 : 0;
  if (e.kind == expr_kind::cast)
    return slope(e.args[0], index);
  if (e.kind == expr_kind::binary && (e.text == "+" || e.text == "-" || e.text == "*")) {
    auto a = slope(e.args[0], index);
    auto b = slope(e.args[1], index);
    if (!a || !b || (*a == 0 && *b == 0))
      return a && b ? a : std::nullopt;
    if (e.text != "*")
      return e.text == "+" ? *a + *b : *a - *b;
    auto factor = literal_value(e.args[*a == 0 ? 0 : 1]);
    if (!factor)
      return {};
    return *factor * (*a == 0 ? *b : *a);
  }
  if (mentions(e, index))
    return {};
  return 0;
}

} // namespace

std::optional<int64_t> stride(const expr& subscript, const std::string& index) {
  return slope(subscript.args[1], index);
}

double contiguity(const stmt& loop) {
  double good = 0;
  double all = 0;
  walk_exprs(loop.body, [&](const expr& e) {
    if (e.kind != expr_kind::subscript)
      return;
    auto s = stride(e, loop.name);
    all += 1;
    good += s && (*s == 0 || *s == 1) ? 1 : 0;
  });
  return all > 0 ? good / all : 0;
}

bool promises_reuse(const stmt& loop) {
  bool found = false;
  walk(loop.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::while_loop)
      found = true;
    if (s.kind == stmt_kind::loop && !found)
      walk_exprs(s.body, [&](const expr& e) {
        found = found || (e.kind == expr_kind::subscript && stride(e, loop.name) == 0 && stride(e, s.name) != 0);
      });
  });
  return found;
}

bool holds_recurrence(const stmt& loop, const environment& env) {
  const auto own = declared(loop.body);
  const auto hands_on = [&](const stmt& x) {
    std::string reason;
    std::set<std::string> chosen;
    for (const auto& c : selections(x))
      chosen.insert({c.best, c.at});
    if (!reductions(x, reason, chosen))
      return true;
    if (facts_of(env, x.label).independent)
      return false;
    bool stores = false; // what a later iteration may load
    walk(x.body, [&](const stmt& s) {
      stores = stores
               || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::subscript
                   && (mentions(s.target, x.name) || own.count(root_of(s.target)) != 0));
    });
    return stores;
  };
  bool found = false;
  walk(loop.body, [&](const stmt& s) {
    found = found || s.kind == stmt_kind::while_loop || (s.kind == stmt_kind::loop && hands_on(s));
  });
  return found;
}

double register_demand(const stmt& loop, int64_t register_bits) {
  double demand = 0;
  walk(loop.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && s.type.lanes > 1)
      demand += static_cast<double>(s.type.lanes) * bits(s.type.base) / static_cast<double>(register_bits);
  });
  return demand;
}

} // namespace kevolve::transform
