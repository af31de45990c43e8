#include "backends/generators/transform/moves/nest_position.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <utility>

namespace kevolve::transform {

namespace {

bool collect(const stmt& nest, nest_position at, std::vector<nest_position>& out) {
  at.loops.push_back(&nest);
  at.places.push_back(0);
  bool plain = true;
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const auto& s = nest.body[i];
    at.places.back() = i;
    at.here = &s;
    if (s.kind == stmt_kind::loop)
      plain = collect(s, at, out) && plain;
    else if (s.kind == stmt_kind::assign || s.kind == stmt_kind::declare)
      out.push_back(at);
    else
      plain = false;
  }
  return plain;
}

} // namespace

expr nest_position::with_values(expr e) const {
  for (size_t i = loops.size(); i-- > 0;)
    e = with_locals(std::move(e), loops[i]->body, places[i]);
  return e;
}

bool nest_position::is_inside(const stmt& loop) const {
  return std::find(loops.begin(), loops.end(), &loop) != loops.end();
}

bool collect_positions(const stmt& nest, std::vector<nest_position>& out) {
  return collect(nest, {}, out);
}

bool counts_from_zero(const stmt& loop, const std::set<std::string>& changed) {
  const auto to = to_polynomial(loop.to);
  if (loop.step != 1 || loop.lanes > 1 || literal_value(loop.from) != 0 || !to || !is_speculable(loop.to))
    return false;
  for (const auto& x : {loop.type.base, bare(loop.to).type.base})
    if (is_unsigned(x) || bits(x) < 32)
      return false;
  const auto names = to->names();
  return std::none_of(names.begin(), names.end(),
                      [&](const std::string& n) { return n.front() == '{' || changed.count(n) != 0; });
}

bool have_same_end(const stmt& a, const stmt& b) {
  const auto x = to_polynomial(a.to);
  const auto y = to_polynomial(b.to);
  return x && y && *x == *y;
}

std::optional<place_by> place_of(const expr& element, const std::string& a, const std::string& b) {
  place_by out;
  for (const expr* e = &element; e->kind == expr_kind::subscript; e = &bare(e->args[0])) {
    const auto whole = to_polynomial(e->args[1]);
    const auto first = whole ? whole->linear_in(a) : std::nullopt;
    const auto second = first ? first->second.linear_in(b) : std::nullopt;
    if (!second || first->first.mentions(b))
      return {};
    out.insert(out.begin(), {first->first, second->first, second->second});
  }
  return out;
}

} // namespace kevolve::transform
