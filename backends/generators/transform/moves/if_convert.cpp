// if_convert(B): if-conversion. The branch B becomes conditional assignments.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool only_assigns_scalars(const list& arm) {
  std::set<std::string> before;
  for (const auto& s : arm) {
    if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.type.depth != 0
        || !is_speculable(s.value) || (is_integer(s.target.type.base) && is_float(bare(s.value).type.base)))
      return false;
    for (const auto& name : before)
      if (mentions(s.value, name))
        return false;
    before.insert(s.target.text);
  }
  return true;
}

expr as_value(const stmt& s) {
  if (s.op == "=")
    return s.value;
  return make_expr(expr_kind::binary, s.target.type, {s.target, s.value}, s.op.substr(0, s.op.size() - 1));
}

result<void> if_convert(program& p, const loop_label& branch) {
  bool done = false;
  std::string reason = "no branch " + branch;
  for_each_labelled(p.body.change(), branch, [&](list& where, size_t at) -> size_t {
    const auto b = where[at];
    if (b.kind != stmt_kind::branch || !only_assigns_scalars(b.body) || !only_assigns_scalars(b.otherwise)) {
      reason = branch + " does more than set scalars to harmless values";
      return 1;
    }
    std::vector<std::string> order;
    std::map<std::string, std::pair<std::optional<expr>, std::optional<expr>>> values;
    std::map<std::string, expr> targets;
    auto note = [&](const stmt& s, bool yes) {
      const auto& name = s.target.text;
      if (targets.emplace(name, s.target).second)
        order.push_back(name);
      auto& v = values[name];
      (yes ? v.first : v.second) = as_value(s);
    };
    for (const auto& s : b.body)
      note(s, true);
    for (const auto& s : b.otherwise)
      note(s, false);
    // A value that an earlier select has already changed would be read too late.
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t j = i + 1; j < order.size(); ++j)
        for (const auto& v : {values[order[j]].first, values[order[j]].second})
          if (v && mentions(*v, order[i])) {
            reason = branch + " sets scalars that depend on each other";
            return 1;
          }
    list out;
    auto type = scalar_type(scalar_kind::i32);
    auto take = make_name(fresh_name(p, "take_" + branch), type);
    // Without the hint clang turns selects on loaded values back into branches.
    auto is_set = make_expr(expr_kind::binary, type, {b.value, make_literal(0)}, "!=");
    bool comparison = b.value.kind == expr_kind::binary && b.value.type.base == scalar_kind::i32;
    out.push_back(make_declare(
        take.text, type, make_expr(expr_kind::call, type, {comparison ? b.value : is_set}, "__builtin_unpredictable")));
    for (const auto& name : order) {
      auto& v = values[name];
      auto target = targets.at(name);
      out.push_back(make_assign(
          target, "=",
          make_expr(expr_kind::conditional, target.type, {take, v.first.value_or(target), v.second.value_or(target)})));
    }
    auto n = out.size();
    where.erase(where.begin() + static_cast<ptrdiff_t>(at));
    where.insert(where.begin() + static_cast<ptrdiff_t>(at), std::make_move_iterator(out.begin()),
                 std::make_move_iterator(out.end()));
    done = true;
    return n;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

} // namespace

constinit const move_descriptor moves::if_convert{
    .name = "if_convert",
    .former_name = "select",
    .takes = {a_branch},
    .where = site_kind::statement,
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::if_convert(p, a.label(0));
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (at.here.kind == stmt_kind::branch && out.once(at.here.label))
            out.add(1.0, {at.here.label});
        },
};

} // namespace kevolve::transform
