// Windows that move with the vectorised loop: `for (k = i - r; k <= i + r; ++k)` runs as often in every lane.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include <algorithm>
#include <utility>

namespace kevolve::transform {

namespace {

expr written(const polynomial& p, const ctype& type) {
  const auto names = p.names();
  if (names.empty())
    return make_literal(p.constant().value_or(0), type.base);
  const auto parts = p.linear_in(names[0]);
  const auto name = make_name(names[0], type);
  const bool once = parts->first.constant() == 1;
  return make_binary("+", once ? name : make_binary("*", written(parts->first, type), name),
                     written(parts->second, type));
}

bool is_linear(const polynomial& p) {
  const auto names = p.names();
  return std::all_of(names.begin(), names.end(), [&](const auto& n) { return p.linear_in(n).has_value(); });
}

} // namespace

std::optional<expr> vectoriser::common_length(const stmt& l) const {
  bool known = true;
  const auto atom = [&](const expr&) { known = false; };
  for (const auto* end : {&l.from, &l.to})
    walk(*end, [&](const expr& e) { known = known && !is_unsigned(e.type.base); }); // which would wrap
  const auto from = to_polynomial(l.from, atom);
  const auto to = to_polynomial(l.to, atom);
  if (!known || !from || !to || is_unsigned(l.type.base))
    return {};
  const auto length = *to - *from;
  for (const auto& n : length.names())
    if (n == loop_.name || varying_.count(n) != 0)
      return {};
  return is_linear(length) ? std::optional{written(length, l.type)} : std::nullopt;
}

bool vectoriser::shift_windows(std::vector<stmt>& body) {
  for (auto& l : body) {
    if (shift_windows(l.body.change()) || shift_windows(l.otherwise.change()))
      return true;
    if (l.kind != stmt_kind::loop || l.lanes > 1 || (!varies(l.from) && !varies(l.to)))
      continue;
    auto length = common_length(l);
    const auto changed = assigned(l.body);
    bool stays = true;
    walk(l.from, [&](const expr& e) { stays = stays && (e.kind != expr_kind::name || changed.count(e.text) == 0); });
    if (!length || !stays)
      continue;
    const auto before = l.name;
    auto type = l.type;
    type.is_const = false;
    l.name += "_" + l.label + "_" + std::to_string(ragged_++);
    substitute(l.body.change(), before, make_binary("+", l.from, make_name(l.name, type)));
    l.from = make_literal(0, type.base);
    l.to = std::move(*length);
    l.at_least.clear();
    l.below.clear();
    return true;
  }
  return false;
}

} // namespace kevolve::transform
