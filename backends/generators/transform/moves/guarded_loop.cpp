#include "backends/generators/transform/moves/guarded_loop.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// The memory and variables that the statements under a test may change.
class changes {
public:
  changes(const list& guarded, const environment& env)
      : written_(arrays_written(guarded)), any_alias_(may_alias(env.task)), changing_(assigned(guarded)) {}

  bool may_change(const expr& whole) const {
    bool found = false;
    walk(whole, [&](const expr& e) {
      found = found || (e.kind == expr_kind::name && changing_.count(e.text) != 0)
              || (e.kind == expr_kind::subscript && !written_.empty()
                  && (any_alias_ || written_.count({}) != 0 || written_.count(root_of(e)) != 0));
    });
    return found;
  }
  // Notes a variable whose value follows from one that may change.
  void pass(const stmt& s) {
    if (s.kind == stmt_kind::declare && may_change(s.value))
      changing_.insert(s.name);
  }

private:
  std::set<std::string> written_;
  bool any_alias_;
  std::set<std::string> changing_;
};

// Returns why a test may not be made before the iterations that precede its own; empty: it may. If none of those
// iterations changes anything, the test sees the same values. Otherwise its result is not used, but its loads must be
// valid.
std::string trouble_of_test(const list& body, const environment& env) {
  const auto& branch = body.back();
  changes by{branch.body, env};
  std::string out;
  for (const auto& s : body) {
    if (!only_computes(s.value))
      return "the test of " + branch.label + " does more than compute";
    walk(s.value, [&](const expr& e) {
      const bool guards =
          e.kind == expr_kind::conditional || (e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"));
      const bool loads_under = guards && std::any_of(e.args.begin() + 1, e.args.end(), [](const expr& x) {
                                 bool any = false;
                                 walk(x, [&](const expr& y) { any = any || y.kind == expr_kind::subscript; });
                                 return any;
                               });
      if ((e.kind == expr_kind::subscript && by.may_change(e.args[1])) || (loads_under && by.may_change(e.args[0])))
        out = branch.label + " may change where its test reads";
    });
    by.pass(s);
  }
  return out;
}

} // namespace

// Returns true if the body is declarations and then one branch without an else.
bool is_guarded(const list& body) {
  if (body.empty() || body.back().kind != stmt_kind::branch || !body.back().otherwise.empty())
    return false;
  return std::all_of(body.begin(), body.end() - 1, [](const stmt& s) {
    return s.kind == stmt_kind::declare && s.has_value && !s.is_static && s.type.suffix.empty();
  });
}

// Returns true if tests come out the same before and behind what is guarded.
bool tests_stay(const list& tested, const list& guarded, const environment& env) {
  const changes by{guarded, env};
  return std::none_of(tested.begin(), tested.end(), [&](const stmt& s) { return by.may_change(s.value); });
}

// Returns the loop with `if (a) { if (b) … }` as one test of both.
stmt with_one_test(stmt l) {
  if (!is_guarded(l.body))
    return l;
  auto& guard = l.body.change().back();
  while (guard.body.size() == 1 && guard.body[0].kind == stmt_kind::branch && guard.body[0].otherwise.empty()) {
    const auto inner = guard.body[0];
    guard.value = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {guard.value, inner.value}, "&&");
    guard.body = inner.body;
  }
  return l;
}

// Returns why the tests of a block of the loop's iterations may not be made before them; empty: they may.
std::string trouble_of_blocks(const program& p, const stmt& l, const environment& env) {
  bool divided = false;
  walk(p.body, [&](const stmt& s) { divided = divided || s.label == l.label.with(loop_role::blocks); });
  if (divided)
    return l.label + " runs in blocks already";
  if (l.lanes > 1 || !is_guarded(l.body))
    return "the body of " + l.label + " is not a test and what it guards";
  if (leaves_early(l.body))
    return l.label + " can be left early";
  return trouble_of_test(l.body, env);
}

} // namespace kevolve::transform
