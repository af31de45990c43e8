// Questions about expressions and statements that their own text answers.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace kevolve::transform {

bool is_pure_function(const std::string& name) {
  static constexpr std::array<std::string_view, 39> names{
      "exp",  "exp2",      "expm1", "log",   "log2",  "log10", "log1p", "sqrt",     "cbrt",  "pow",
      "sin",  "cos",       "tan",   "tanh",  "sinh",  "cosh",  "atan",  "atan2",    "asin",  "acos",
      "erf",  "erfc",      "fabs",  "fmax",  "fmin",  "fma",   "floor", "ceil",     "trunc", "round",
      "rint", "nearbyint", "fmod",  "hypot", "acosh", "asinh", "atanh", "copysign", "tgamma"};
  auto known = [&](std::string_view n) { return std::find(names.begin(), names.end(), n) != names.end(); };
  std::string_view n = name;
  if (n.substr(0, 10) == "__builtin_") {
    n.remove_prefix(10);
    if (n == "inff" || n == "inf" || n == "nanf" || n == "nan" || n == "huge_val" || n == "huge_valf")
      return true;
  }
  return known(n) || (!n.empty() && n.back() == 'f' && known(n.substr(0, n.size() - 1)));
}

bool is_pure_call(const expr& call) {
  return call.computes || is_pure_function(call.text);
}

std::string root_of(const expr& subscript) {
  const expr* e = &subscript;
  while (e->kind == expr_kind::subscript)
    e = &e->args[0];
  return e->kind == expr_kind::name ? e->text : std::string{};
}

bool leaves_early(const std::vector<stmt>& body, bool nested) {
  return std::any_of(body.begin(), body.end(), [&](const stmt& s) {
    bool inner = nested || s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop;
    return s.kind == stmt_kind::return_value || s.kind == stmt_kind::opaque
           || ((s.kind == stmt_kind::break_out || s.kind == stmt_kind::next) && !nested) || leaves_early(s.body, inner)
           || leaves_early(s.otherwise, inner);
  });
}

std::string own_pointer(const std::vector<stmt>& body) {
  std::set<std::string> pointers;
  walk(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && s.type.depth > 0)
      pointers.insert(s.name);
  });
  std::string out;
  walk_exprs(body, [&](const expr& e) {
    const bool looks = e.kind == expr_kind::subscript || (e.kind == expr_kind::unary && e.text == "*");
    if (looks)
      walk(e.args[0], [&](const expr& x) {
        if (x.kind == expr_kind::name && pointers.count(x.text) != 0)
          out = x.text;
      });
  });
  return out;
}

bool breaks(const std::vector<stmt>& body) {
  return std::any_of(body.begin(), body.end(), [](const stmt& s) {
    const bool nested = s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop;
    return s.kind == stmt_kind::break_out || (!nested && (breaks(s.body) || breaks(s.otherwise)));
  });
}

bool holds_opaque(const std::vector<stmt>& body) {
  bool found = false;
  walk(body, [&](const stmt& s) { found = found || s.kind == stmt_kind::opaque; });
  walk_exprs(body, [&](const expr& e) { found = found || e.kind == expr_kind::opaque; });
  return found;
}

bool is_speculable(const expr& e) {
  bool ok = true;
  walk(e, [&](const expr& x) {
    bool division = x.kind == expr_kind::binary && (x.text == "/" || x.text == "%") && is_integer(x.type.base)
                    && literal_value(x.args[1]).value_or(0) == 0;
    ok = ok && !division && x.kind != expr_kind::subscript && x.kind != expr_kind::member && x.kind != expr_kind::call
         && x.kind != expr_kind::opaque;
  });
  return ok;
}

} // namespace kevolve::transform
