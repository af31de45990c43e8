#include "backends/generators/transform/analysis/effects.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

} // namespace

std::string why_changed(const program& p, const stmt& l, const std::string& array, const environment& env) {
  const auto reassigned = assigned(p.body);
  const auto declared_arrays = [&](const std::string& name) { // of how many declarations of the name, how many are
    std::pair<size_t, size_t> out;
    walk(p.body, [&](const stmt& s) {
      const bool here = (s.kind == stmt_kind::declare || s.kind == stmt_kind::loop) && s.name == name;
      out.first += here ? 1U : 0U;
      out.second += here && !s.type.suffix.empty() ? 1U : 0U;
    });
    return out;
  };
  const auto stands_alone = [&](const std::string& name) {
    const auto* a = find_argument(env.task, name);
    return a != nullptr && !a->alias && declared_arrays(name).first == 0 && reassigned.count(name) == 0;
  };
  if (!stands_alone(array))
    return array + " is no array of the caller's that stands alone";
  for (const auto& w : arrays_written(l.body)) {
    const auto [all, arrays] = declared_arrays(w);
    if (w == array)
      return l.label + " changes " + array;
    if (!stands_alone(w) && (all == 0 || arrays != all))
      return l.label + " may change " + array;
  }
  return {};
}

std::set<std::string> arrays_written(const std::vector<stmt>& body) {
  std::set<std::string> out;
  walk_exprs(body, [&](const expr& e) {
    if ((e.kind == expr_kind::call && !is_pure_call(e)) || (e.kind == expr_kind::unary && e.text == "&"))
      out.insert(std::string{});
  });
  walk(body, [&](const stmt& s) {
    if ((s.kind == stmt_kind::assign || s.kind == stmt_kind::vector_store) && s.target.kind != expr_kind::name)
      out.insert(s.target.kind == expr_kind::subscript ? root_of(s.target) : std::string{});
  });
  return out;
}

bool only_computes(const expr& whole) {
  bool ok = true;
  walk(whole, [&](const expr& e) {
    const bool divides = e.kind == expr_kind::binary && (e.text == "/" || e.text == "%") && is_integer(e.type.base)
                         && literal_value(e.args[1]).value_or(0) == 0;
    const bool at_pointer = e.kind == expr_kind::unary && (e.text == "*" || e.text == "&");
    ok = ok && e.type.lanes == 1 && e.kind != expr_kind::opaque && e.kind != expr_kind::member && !divides
         && !at_pointer && (e.kind != expr_kind::call || is_pure_call(e))
         && (e.kind != expr_kind::subscript || !root_of(e).empty());
  });
  return ok;
}

bool keeps_apart(const program& p, const std::string& array, const environment& env) {
  size_t declarations = 0;
  size_t arrays = 0;
  walk(p.body, [&](const stmt& s) {
    const bool here = (s.kind == stmt_kind::declare || s.kind == stmt_kind::loop) && s.name == array;
    declarations += here ? 1U : 0U;
    arrays += here && !s.type.suffix.empty() ? 1U : 0U;
  });
  if (declarations > 0)
    return arrays == declarations;
  const auto* a = find_argument(env.task, array);
  return a != nullptr && !a->alias && assigned(p.body).count(array) == 0;
}

bool is_only_indexed(const list& body, const std::string& array) {
  size_t mentioned = 0;
  size_t indexed = 0;
  walk_exprs(body, [&](const expr& e) {
    mentioned += (e.kind == expr_kind::name && e.text == array ? 1U : 0U)
                 + static_cast<size_t>(std::count(e.names.begin(), e.names.end(), array));
    indexed += e.kind == expr_kind::subscript && e.args[0].kind == expr_kind::name && e.args[0].text == array ? 1U : 0U;
  });
  walk(body,
       [&](const stmt& s) { mentioned += static_cast<size_t>(std::count(s.names.begin(), s.names.end(), array)); });
  return mentioned == indexed;
}

expr with_locals(expr e, const list& body, size_t before) {
  const auto changed = assigned(body);
  for (size_t i = before; i-- > 0;) {
    const auto& s = body[i];
    if (s.kind == stmt_kind::declare && s.has_value && !s.is_static && changed.count(s.name) == 0
        && s.type.suffix.empty() && s.type.depth == 0 && s.type.base == bare(s.value).type.base
        && only_computes(s.value))
      substitute(e, s.name, s.value);
  }
  return e;
}

} // namespace kevolve::transform
