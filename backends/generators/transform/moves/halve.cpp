// halve(W): branch-free binary search. The number of steps follows from the two bounds alone.
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// A binary search as written in textbooks: while (low < high) { middle = …; if (test) low = middle + 1; else high =
// middle; }
struct bisection {
  expr low, high;
  stmt middle; // its declaration
  expr test;   // where it holds, low moves up
};

std::optional<bisection> bisection_of(const stmt& w) {
  const auto& c = bare(w.value);
  if (w.kind != stmt_kind::while_loop || c.kind != expr_kind::binary || c.text != "<" || w.body.size() != 2)
    return {};
  bisection b{bare(c.args[0]), bare(c.args[1]), w.body[0], {}};
  const auto& branch = w.body[1];
  if (b.low.kind != expr_kind::name || b.high.kind != expr_kind::name || !is_integer(b.low.type.base)
      || b.low.type.base != b.high.type.base || b.middle.kind != stmt_kind::declare || !b.middle.has_value
      || branch.kind != stmt_kind::branch || branch.body.size() != 1 || branch.otherwise.size() != 1)
    return {};
  const auto half_of = [](const expr& e) -> const expr* { // x / 2, x >> 1
    const auto& h = bare(e);
    if (h.kind != expr_kind::binary || literal_value(h.args[1]) != (h.text == "/" ? 2 : 1)
        || (h.text != "/" && h.text != ">>"))
      return nullptr;
    return &bare(h.args[0]);
  };
  const auto is = [](const expr& e, const char* op, const expr& x, const expr& y) {
    const auto& whole = bare(e);
    return whole.kind == expr_kind::binary && whole.text == op && same(bare(whole.args[0]), x)
           && same(bare(whole.args[1]), y);
  };
  const auto& m = bare(b.middle.value);
  const auto* sum = half_of(m);
  bool halves = sum != nullptr && (is(*sum, "+", b.low, b.high) || is(*sum, "+", b.high, b.low));
  if (m.kind == expr_kind::binary && m.text == "+" && same(bare(m.args[0]), b.low))
    if (const auto* span = half_of(m.args[1]))
      halves = is(*span, "-", b.high, b.low);
  if (!halves)
    return {};
  const auto middle = make_name(b.middle.name, b.middle.type);
  const auto sets = [](const stmt& s, const expr& name) {
    return s.kind == stmt_kind::assign && s.op == "=" && same(s.target, name);
  };
  const auto moves_up = [&](const stmt& s) {
    const auto& v = bare(s.value);
    return sets(s, b.low) && v.kind == expr_kind::binary && v.text == "+" && same(bare(v.args[0]), middle)
           && literal_value(v.args[1]) == 1;
  };
  const auto moves_down = [&](const stmt& s) { return sets(s, b.high) && same(bare(s.value), middle); };
  b.test = branch.value;
  if (moves_down(branch.body[0]) && moves_up(branch.otherwise[0]))
    b.test = make_unary("!", branch.value);
  else if (!moves_up(branch.body[0]) || !moves_down(branch.otherwise[0]))
    return {};
  if (!only_computes(b.test) || mentions(b.test, b.low.text) || mentions(b.test, b.high.text))
    return {};
  return b;
}

result<void> halve(program& p, const loop_label& search) {
  bool done = false;
  std::string reason = "no loop " + search;
  for_each_labelled(p.body.change(), search, [&](list& where, size_t at) -> size_t {
    const auto b = bisection_of(where[at]);
    if (!b) {
      reason = search + " is no binary search between two bounds";
      return 1;
    }
    // The initial bounds, if they are assigned beside the search.
    auto from = b->low;
    auto to = b->high;
    std::optional<size_t> upper;
    for (size_t i = 0; i < at; ++i) {
      const auto& s = where[i];
      if (s.kind == stmt_kind::declare && s.has_value && s.name == b->low.text)
        from = s.value;
      else if (s.kind == stmt_kind::declare && s.has_value && s.name == b->high.text) {
        to = s.value;
        upper = i;
      } else if (s.kind != stmt_kind::declare) { // may change what they were made of
        from = b->low;
        to = b->high;
        upper.reset();
      }
    }
    auto others = where; // but the search and the bound's own declaration
    others.erase(others.begin() + static_cast<ptrdiff_t>(at));
    if (upper)
      others.erase(others.begin() + static_cast<ptrdiff_t>(*upper));
    if (!upper || mentions(others, b->high.text)) {
      reason = b->high.text + " is not declared beside " + search + " for it alone";
      return 1;
    }
    auto kind = scalar_type(b->low.type.base);
    kind.text = b->low.type.text;
    const auto flag = scalar_type(scalar_kind::i32);
    const auto count = make_name(fresh_name(p, "count_" + search), kind);
    const auto half = make_name(fresh_name(p, "half_" + search), kind);
    const auto one = make_literal(1);
    auto span = literal_value(from) == 0 ? to : make_expr(expr_kind::binary, kind, {to, from}, "-");
    if (is_unsigned(kind.base) && literal_value(from) != 0)
      span = make_expr(expr_kind::conditional, kind,
                       {make_expr(expr_kind::binary, flag, {from, to}, "<"), span, make_literal(0)});
    // low = test(at) ? at + 1 : low, without a branch
    const auto step = [&](list& out, const expr& middle, const expr& value) {
      auto test = b->test;
      substitute(test, b->middle.name, middle);
      auto take = make_name(fresh_name(p, "take_" + search), flag);
      out.push_back(make_declare(middle.text, kind, value));
      out.push_back(make_declare(take.text, flag,
                                 make_expr(expr_kind::call, flag,
                                           {make_expr(expr_kind::binary, flag, {test, make_literal(0)}, "!=")},
                                           "__builtin_unpredictable")));
      out.push_back(make_assign(
          b->low, "=", make_expr(expr_kind::conditional, kind, {take, make_binary("+", middle, one), b->low})));
    };
    list inside{make_declare(half.text, kind, make_expr(expr_kind::binary, kind, {count, make_literal(2)}, "/"))};
    step(inside, make_name(b->middle.name, kind),
         make_expr(expr_kind::binary, kind, {make_expr(expr_kind::binary, kind, {b->low, half}, "+"), one}, "-"));
    inside.push_back(make_assign(count, "-=", half));
    auto loop = where[at];
    loop.value = make_expr(expr_kind::binary, flag, {count, one}, ">");
    loop.body = std::move(inside);
    stmt last;
    last.kind = stmt_kind::branch;
    last.value = make_expr(expr_kind::binary, flag, {count, make_literal(0)}, ">");
    list final_step;
    step(final_step, make_name(fresh_name(p, b->middle.name), kind), b->low);
    last.body = std::move(final_step);
    where[at] = make_declare(count.text, kind, span);
    const list parts{std::move(loop), std::move(last)};
    where.insert(where.begin() + static_cast<ptrdiff_t>(at) + 1, parts.begin(), parts.end());
    where.erase(where.begin() + static_cast<ptrdiff_t>(*upper));
    done = true;
    return 2;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

} // namespace

constinit const move_descriptor moves::halve{
    .name = "halve",
    .takes = {a_loop},
    .where = site_kind::statement,
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::halve(p, a.label(0));
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (s.kind == stmt_kind::while_loop && s.body.size() == 2 && s.body.back().kind == stmt_kind::branch
              && out.once(s.label))
            out.add(1.5, {s.label});
        },
};

} // namespace kevolve::transform
