// Loops that count down, as loops that count up: the moves know no others.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <utility>

namespace kevolve::transform {

namespace {

using list = stmt_list;

// Returns from - bound + more, as short as it is where that is a number: n for `n - 1` down to 0.
expr rounds(const expr& from, const expr& bound, int64_t more) {
  const auto end = literal_value(bound);
  if (!end)
    return make_binary("+", make_binary("-", from, bound), make_literal(more));
  auto base = from;
  auto rest = more - *end;
  if (from.kind == expr_kind::binary && (from.text == "+" || from.text == "-"))
    if (const auto n = literal_value(from.args[1])) {
      base = from.args[0];
      rest += from.text == "+" ? *n : -*n;
    }
  return make_binary(rest < 0 ? "-" : "+", base, make_literal(rest < 0 ? -rest : rest));
}

bool steps_down(const stmt& s, const std::string& name) {
  return s.kind == stmt_kind::assign && s.op == "-=" && s.target.kind == expr_kind::name && s.target.text == name
         && literal_value(s.value) == 1;
}

// `while (k > bound) …`, or >=, in whose body k goes down by one.
struct countdown {
  expr index;
  expr bound;
  bool inclusive = false; // k >= bound
  bool first = false;     // it goes down before all else
  list work;              // the body without that step
};

bool count(program& p, list& body, size_t at, countdown c) {
  const auto& name = c.index.text;
  const auto type = c.index.type;
  const bool to_zero = !c.inclusive && literal_value(c.bound) == 0; // where even what has no sign stays above it
  const auto fits = [&](const expr& e) {
    return is_integer(e.type.base) && bits(e.type.base) <= bits(type.base)
           && (!is_unsigned(e.type.base) || (to_zero && (is_unsigned(type.base) || literal_value(e))));
  };
  if (!is_integer(type.base) || type.depth != 0 || bits(type.base) < 32 || (is_unsigned(type.base) && !to_zero)
      || assigned(c.work).count(name) != 0 || (has_exit(c.work) && !only_breaks(c.work)) || has_next(c.work)
      || !invariant(c.bound, c.work) || mentions(c.bound, name) || !fits(c.bound))
    return false;
  // `while (--k >= 0)` has taken one off before.
  const bool one_less = at > 0 && steps_down(body[at - 1], name);
  const bool one_more = at + 1 < body.size() && c.first && steps_down(body[at + 1], name);
  const size_t end = one_less ? at - 1 : at;
  const auto start = start_of(body, end, name);
  const bool is_parameter =
      std::any_of(p.parameters.begin(), p.parameters.end(), [&](const parameter& x) { return x.name == name; });
  // A variable that the whole function counts down is counted once.
  if (start == end && (!is_parameter || &body != &p.body.change()))
    return false;
  auto from = c.index;
  size_t known = count_mentions({body[at]}, name) + (one_less ? 1U : 0U) + (one_more ? 1U : 0U);
  if (start != end) {
    if (!invariant(body[start].value, c.work))
      return false;
    from = bare(body[start].value);
    known += body[start].kind == stmt_kind::assign ? 1U : 0U;
  }
  if (count_mentions(p.body, name) > known || !fits(from)) // its value after the loop
    return false;
  if (one_less)
    from = make_binary("-", from, make_literal(1));
  auto to = rounds(from, c.bound, c.inclusive ? 1 : 0);
  if (bits(type.base) < 64 && !known_to_be_small(p, from)) {
    if (literal_value(c.bound).value_or(-1) < 0)
      return false;
    // Far below 0 the difference would wrap.
    auto some = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {from, c.bound}, c.inclusive ? ">=" : ">");
    to = make_expr(expr_kind::conditional, type, {std::move(some), std::move(to), make_literal(0)});
  }
  stmt loop;
  loop.kind = stmt_kind::loop;
  loop.line = body[at].line;
  if (breaks(c.work))
    loop.op = early;
  loop.type = type;
  loop.type.is_const = false;
  loop.name = fresh_name(p, name);
  loop.from = make_literal(0, type.base);
  loop.to = std::move(to);
  loop.body = std::move(c.work);
  const auto round = make_name(loop.name, loop.type);
  substitute(loop.body.change(), name,
             make_binary("-", c.first ? make_binary("-", from, make_literal(1)) : from, round));
  body[at] = std::move(loop);
  if (one_more)
    body.erase(body.begin() + static_cast<ptrdiff_t>(at) + 1);
  if (one_less)
    body.erase(body.begin() + static_cast<ptrdiff_t>(at) - 1);
  if (start != end)
    body.erase(body.begin() + static_cast<ptrdiff_t>(start));
  return true;
}

} // namespace

bool known_to_be_small(const program& p, const expr& e) {
  bool ok = true;
  walk(e, [&](const expr& x) {
    const auto n = x.kind == expr_kind::literal ? literal_value(x) : std::optional<int64_t>{0};
    const bool of_caller = std::any_of(p.parameters.begin(), p.parameters.end(),
                                       [&](const parameter& a) { return a.name == x.text && a.type.depth == 0; });
    ok = ok && n && *n < (1 << 20) && (x.kind != expr_kind::name || of_caller)
         && (x.kind == expr_kind::literal || x.kind == expr_kind::name || x.kind == expr_kind::binary
             || x.kind == expr_kind::cast);
  });
  return ok;
}

bool count_up(program& p, list& body, size_t at, const stmt& step, const expr& condition) {
  // The operands of > were swapped, as those of a loop that counts up.
  const auto& index = bare(condition.args[1]);
  if ((condition.text != "<" && condition.text != "<=") || index.kind != expr_kind::name
      || !steps_down(step, index.text))
    return false;
  auto work = body[at].body;
  if (body[at].op != "counted")
    work.change().pop_back();
  return count(p, body, at,
               {index, bare(condition.args[0]), condition.text == "<=", false, list(work.begin(), work.end())});
}

bool count_taken(program& p, list& body, size_t at) {
  const auto& w = body[at];
  if (w.body.empty() || w.body[0].kind != stmt_kind::assign || w.body[0].target.kind != expr_kind::name)
    return false;
  const auto& name = w.body[0].target;
  const auto& condition = bare(w.value);
  expr bound = make_literal(0);
  bool inclusive = false;
  if (condition.kind == expr_kind::binary && same(bare(condition.args[0]), name)) {
    bound = bare(condition.args[1]);
    inclusive = condition.text == ">=";
    const bool until = condition.text == "!=" && literal_value(bound) == 0; // below it, C leaves the end open
    if (condition.text != ">" && !inclusive && !until)
      return false;
  } else if (!same(condition, name)) {
    return false;
  }
  if (!steps_down(w.body[0], name.text))
    return false;
  list work(w.body.begin() + 1, w.body.end());
  if (w.op == "counted")
    work.insert(work.end(), w.otherwise.begin(), w.otherwise.end());
  return count(p, body, at, {name, bound, inclusive, true, std::move(work)});
}

} // namespace kevolve::transform
