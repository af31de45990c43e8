#include "backends/generators/transform/profit.hpp"

#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/polynomial.hpp"

namespace kevolve::transform {

namespace {

// Elements from one iteration to the next; nothing if that is no constant.
std::optional<int64_t> stride(const expr& subscript, const std::string& index) {
  bool hidden = false;
  auto p = to_polynomial(subscript.args[1], [&](const expr& atom) { hidden = hidden || mentions(atom, index); });
  if (!p || hidden)
    return {};
  auto parts = p->linear_in(index);
  return parts ? parts->first.constant() : std::nullopt;
}

} // namespace

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
    if (s.kind == stmt_kind::loop)
      walk_exprs(s.body, [&](const expr& e) {
        found = found || (e.kind == expr_kind::subscript && stride(e, loop.name) == 0 && stride(e, s.name) != 0);
      });
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
