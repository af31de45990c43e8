#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace kevolve::transform {

using list = stmt_list;

bool has_next(const list& body) {
  return std::any_of(body.begin(), body.end(), [](const stmt& s) {
    if (s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop)
      return false;
    return s.kind == stmt_kind::next || has_next(s.body) || has_next(s.otherwise);
  });
}

bool has_exit(const list& body, bool nested) {
  return std::any_of(body.begin(), body.end(), [&](const stmt& s) {
    bool inner = nested || s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop;
    // A break inside a switch or a do is theirs; behind a label it may be ours.
    bool hidden = s.kind == stmt_kind::opaque && s.op != "SwitchStmt" && s.op != "DoStmt" && s.op != "GotoStmt";
    return (s.kind == stmt_kind::break_out && !nested) || s.kind == stmt_kind::return_value || hidden
           || has_exit(s.body, inner) || has_exit(s.otherwise, inner);
  });
}

bool only_breaks(const list& body) {
  bool ok = true;
  walk(body, [&](const stmt& s) { ok = ok && s.kind != stmt_kind::return_value && s.kind != stmt_kind::opaque; });
  return ok;
}

bool is_used_again(const list& body, size_t at, const std::string& name) {
  bool here = false;
  for (size_t i = 0; i < at; ++i)
    here = here || (body[i].kind == stmt_kind::declare && body[i].name == name);
  if (!here)
    return true;
  for (size_t i = at + 1; i < body.size(); ++i) {
    const auto& s = body[i];
    const bool anew = s.kind == stmt_kind::assign && s.op == "=" && s.target.kind == expr_kind::name
                      && s.target.text == name && !mentions(s.value, name);
    if (anew)
      return false;
    if (mentions(s, name) || s.kind == stmt_kind::opaque || holds_opaque(s.body) || holds_opaque(s.otherwise))
      return true;
  }
  return false;
}

void spell_early_ends(program& p, list& body) {
  std::set<std::string> here;
  for (size_t i = 0; i < body.size(); ++i) {
    spell_early_ends(p, body[i].body.change());
    spell_early_ends(p, body[i].otherwise.change());
    auto& s = body[i];
    if (s.kind == stmt_kind::declare)
      here.insert(s.name);
    if (s.kind != stmt_kind::loop || s.op != early)
      continue;
    if (!here.insert(s.name).second) { // `int k; for (k = 0; …)`, perhaps twice
      const auto own = fresh_name(p, s.name);
      rename(s.body.change(), s.name, own);
      s.name = own;
    }
    const auto index = make_name(s.name, s.type);
    auto begin = make_declare(s.name, s.type, s.from);
    s.kind = stmt_kind::while_loop;
    s.op.clear();
    s.value = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {index, s.to}, "<");
    s.body.change().push_back(make_assign(index, "+=", make_literal(std::exchange(s.step, 1))));
    s.name.clear();
    s.from = s.to = {};
    body.insert(body.begin() + static_cast<ptrdiff_t>(i++), std::move(begin));
  }
}

bool keeps_value(const expr& e, const ctype& as) {
  const auto& from = bare(e);
  if (const auto n = literal_value(from)) {
    const auto width = bits(as.base) - (is_unsigned(as.base) ? 0 : 1);
    return is_integer(as.base) && *n >= 0 && (width >= 63 || *n < int64_t{1} << width);
  }
  return (is_integer(from.type.base) && bits(from.type.base) <= bits(as.base)
          && (!is_unsigned(from.type.base) || is_unsigned(as.base) || bits(from.type.base) < bits(as.base)));
}

// Finds `T i = e` or `i = e` with nothing between that could change i or e.
size_t start_of(const list& body, size_t at, const std::string& name) {
  for (size_t k = at; k-- > 0;) {
    const auto& s = body[k];
    bool declares = s.kind == stmt_kind::declare && s.name == name && s.has_value && !s.is_static;
    bool assigns = s.kind == stmt_kind::assign && s.op == "=" && s.target.kind == expr_kind::name
                   && s.target.text == name && !mentions(s.value, name);
    if (declares || assigns) {
      list between(body.begin() + static_cast<ptrdiff_t>(k) + 1, body.begin() + static_cast<ptrdiff_t>(at));
      return invariant(s.value, between) && keeps_value(s.value, declares ? s.type : s.target.type) ? k : at;
    }
    if (mentions(s, name))
      return at;
  }
  return at;
}

namespace {

// `if (c) continue; rest` becomes `if (c) ; else rest`.
void drop_next(list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    auto& s = body[i];
    if (s.kind == stmt_kind::next) {
      body.resize(i);
      return;
    }
    if (s.kind != stmt_kind::branch || !has_next({s}))
      continue;
    list rest(std::make_move_iterator(body.begin() + static_cast<ptrdiff_t>(i) + 1),
              std::make_move_iterator(body.end()));
    body.resize(i + 1);
    auto& b = body[i];
    auto& yes = b.body.change();
    auto& no = b.otherwise.change();
    yes.insert(yes.end(), rest.begin(), rest.end());
    no.insert(no.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    drop_next(yes);
    drop_next(no);
    if (yes.empty() && !no.empty()) {
      b.value = make_expr(expr_kind::unary, scalar_type(scalar_kind::i32), {b.value}, "!");
      yes.swap(no);
    }
    return;
  }
}

std::optional<int64_t> step_of(const stmt& s, const std::string& name) {
  if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.text != name)
    return {};
  if (s.op == "+=")
    return literal_value(s.value);
  if (s.op == "=" && s.value.kind == expr_kind::binary && s.value.text == "+") {
    const expr* value = &s.value;
    if (value->args[0].kind == expr_kind::name && value->args[0].text == name)
      return literal_value(value->args[1]);
  }
  return {};
}

// In `j = i, i += 1, o += 4`, the others go to the end of the loop's body if none reads i after its increment.
void put_last(list& body, list& increments, const expr& condition) {
  const auto& all = condition.args;
  for (size_t k = 0; increments.size() > 1 && k < increments.size(); ++k) {
    const auto& target = increments[k].target;
    const bool is_index = increments[k].kind == stmt_kind::assign && target.kind == expr_kind::name
                          && std::any_of(all.begin(), all.end(), [&](const expr& e) { return same(bare(e), target); });
    const bool alone = std::all_of(increments.begin(), increments.end(), [&](const stmt& s) {
      const bool looks = &s < &increments[k] ? same(s.target, target) : mentions(s, target.text);
      return &s == &increments[k]
             || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name && !looks
                 && !mentions(increments[k], s.target.text));
    });
    if (!is_index || !alone)
      continue;
    auto one = increments[k];
    increments.erase(increments.begin() + static_cast<ptrdiff_t>(k));
    body.insert(body.end(), increments.begin(), increments.end());
    increments = {std::move(one)};
  }
}

// Returns a small number, or a variable that is one and stays it.
std::optional<int64_t> small_number(const program& p, const expr& e) {
  auto n = literal_value(e);
  if (bare(e).kind == expr_kind::name && assigned(p.body).count(bare(e).text) == 0)
    walk(p.body, [&](const stmt& s) {
      if (s.kind == stmt_kind::declare && s.name == bare(e).text && s.has_value && !s.is_static
          && is_integer(s.type.base) && bits(s.type.base) >= 32)
        n = literal_value(s.value);
    });
  return n && *n >= 0 && *n < (1 << 20) ? n : std::nullopt;
}

// i + 5 <= n is i <= n - 5.
void put_index_alone(const program& p, const expr& index, expr& condition) {
  auto& sides = condition.args.change();
  const auto bound = bare(sides[1]);
  if (index.kind != expr_kind::name || is_unsigned(bound.type.base) || bits(bound.type.base) < 32
      || bits(bound.type.base) > bits(index.type.base) || !known_to_be_small(p, bound))
    return;
  int64_t more = 0;
  auto other = bound;
  auto sum = bare(sides[0]);
  while (!same(sum, index)) { // ((i + a) + b) - c
    const bool adds = sum.kind == expr_kind::binary && (sum.text == "+" || sum.text == "-");
    if (!adds || !is_integer(sum.type.base) || is_unsigned(sum.type.base))
      return;
    const size_t fixed = sum.text == "+" && !mentions(sum.args[0], index.text) ? 0 : 1;
    const auto& part = bare(sum.args[fixed]);
    if (is_unsigned(part.type.base))
      return;
    const bool adds_it = sum.text == "+";
    if (const auto n = small_number(p, part))
      more += adds_it ? *n : -*n;
    else if (part.kind == expr_kind::name && is_integer(part.type.base) && bits(part.type.base) <= 32
             && bits(bound.type.base) == 64 && part.text != index.text) // far from where 64 bits end
      other = make_expr(expr_kind::binary, bound.type, {other, part}, adds_it ? "-" : "+");
    else
      return;
    sum = expr{bare(sum.args[1 - fixed])};
  }
  if (more == 0 && same(other, bound))
    return;
  sides[0] = index;
  sides[1] = make_binary(more < 0 ? "+" : "-", other, make_literal(more < 0 ? -more : more));
}

// body[at] is `while (i < n) { …; i += c }`: make it a counted loop where it is one.
void count_loop(program& p, list& body, size_t at) {
  if (count_taken(p, body, at) || count_walk(p, body, at))
    return;
  auto& w = body[at];
  list increment;
  if (w.op == "counted" && w.otherwise.size() > 1 && w.value.kind == expr_kind::binary)
    put_last(w.body.change(), w.otherwise.change(), w.value);
  if (w.op == "counted")
    increment = w.otherwise;
  else if (!w.body.empty())
    increment = {w.body.back()};
  auto fall_back = [&] {
    if (w.op == "counted") {
      auto& inside = w.body.change();
      inside.insert(inside.end(), increment.begin(), increment.end());
      w.otherwise.clear();
    }
    w.op.clear();
  };
  auto condition = w.value;
  if (increment.size() != 1 || condition.kind != expr_kind::binary)
    return fall_back();
  if (condition.text == ">" || condition.text == ">=") { // n > i
    std::swap(condition.args.change()[0], condition.args.change()[1]);
    condition.text = condition.text == ">" ? "<" : "<=";
  }
  put_index_alone(p, increment[0].target, condition);
  const bool on_the_right =
      bare(condition.args[0]).kind != expr_kind::name
      || (increment[0].kind == stmt_kind::assign && same(bare(condition.args[1]), increment[0].target));
  const auto& index = bare(condition.args[on_the_right ? 1 : 0]);
  if (index.kind != expr_kind::name || index.type.depth != 0 || !is_integer(index.type.base))
    return fall_back();
  auto name = index.text;
  auto type = index.type;
  if (on_the_right) {
    if (!count_up(p, body, at, increment[0], condition))
      fall_back();
    return;
  }
  auto step = step_of(increment[0], name);
  if (bits(type.base) < 32) // the last step of a tile, or of vectors, could wrap
    return fall_back();
  bool known = condition.text == "<" || condition.text == "<=" || (condition.text == "!=" && step == 1);
  bool parameter_index =
      std::any_of(p.parameters.begin(), p.parameters.end(), [&](const parameter& x) { return x.name == name; });
  list work = w.body;
  if (w.op != "counted")
    work.pop_back();
  auto bound = bare(condition.args[1]);
  if (!known || !step || *step < 1 || !is_integer(bound.type.base) || assigned(work).count(name) != 0
      || (has_exit(work) && !only_breaks(work)) || has_next(work) || !invariant(bound, work) || mentions(bound, name)
      || parameter_index || type.is_const)
    return fall_back();
  if (condition.text == "<=")
    bound = make_binary("+", bound, make_literal(1));
  stmt loop;
  loop.kind = stmt_kind::loop;
  loop.line = w.line;
  loop.type = type;
  loop.type.is_const = false;
  loop.step = *step;
  loop.to = bound;
  loop.from = make_name(name, type);
  auto start = start_of(body, at, name);
  // Moves divide the range, and write down where it begins more than once.
  bool own = start < at && invariant(body[start].value, work);
  auto inside = count_mentions({w}, name);
  bool used_elsewhere =
      count_mentions(p.body, name) > inside + (own && body[start].kind == stmt_kind::assign ? 1U : 0U);
  const bool leaves = breaks(work);
  if (used_elsewhere && (*step != 1 || leaves))
    return fall_back();
  if (leaves && !own)
    return fall_back();
  if (own)
    loop.from = bare(body[start].value);
  loop.name = used_elsewhere || !own ? fresh_name(p, name) : name;
  loop.body = std::move(work);
  if (loop.name != name)
    rename(loop.body.change(), name, loop.name);
  if (leaves)
    loop.op = early;
  auto from = loop.from;
  w = std::move(loop);
  if (used_elsewhere) { // its value after the loop
    auto more =
        make_expr(expr_kind::conditional, type,
                  {make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {from, bound}, "<"), bound, from});
    body.insert(body.begin() + static_cast<ptrdiff_t>(at) + 1,
                make_assign(make_name(name, type), "=", std::move(more)));
  } else if (own)
    body.erase(body.begin() + static_cast<ptrdiff_t>(start));
}

} // namespace

void count_loops(program& p, list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind == stmt_kind::while_loop && has_next(body[i].body)) {
      drop_next(body[i].body.change());
      flatten(body[i].body.change());
    }
    count_loops(p, body[i].body.change());
    if (body[i].kind == stmt_kind::branch)
      count_loops(p, body[i].otherwise.change());
    if (body[i].kind == stmt_kind::while_loop) {
      auto size = body.size();
      count_loop(p, body, i);
      if (body.size() < size)
        i -= size - body.size();
    }
  }
}

} // namespace kevolve::transform
