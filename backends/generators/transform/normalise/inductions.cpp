// Induction variables: what grows by the same in each round of a counted loop.
// Source: Allen and Kennedy, "Optimizing compilers for modern architectures", 2002, §4.5.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace kevolve::transform {

namespace {

using list = stmt_list;

bool is_wide(const ctype& t) {
  return is_integer(t.base) && !is_unsigned(t.base) && bits(t.base) >= 32 && t.depth == 0 && t.suffix.empty();
}

size_t times_set(const list& body, const std::string& name) {
  size_t n = 0;
  walk(body, [&](const stmt& s) {
    n += s.kind == stmt_kind::assign && s.target.kind == expr_kind::name && s.target.text == name ? 1U : 0U;
  });
  return n;
}

class writer {
public:
  writer(program& p, list& body) : p_(p), body_(body) {}

  // Turns `*p++ = a; *p++ = b;` in body[at], a counted loop, into p[0] = a; p[1] = b; p += 2.
  void step_once(size_t at) {
    const auto& l = body_[at];
    if (l.kind != stmt_kind::loop || leaves_early(l.body))
      return;
    std::map<std::string, size_t> steps;
    for (const auto& s : l.body)
      if (steps_by_number(s))
        ++steps[s.target.text];
    for (const auto& [name, times] : steps)
      if (times > 1 && is_set_here_alone(l, make_name(name, {}), times))
        join_steps(body_[at].body.change(), name);
  }

  // body[at] is a counted loop; true: a variable that grew in it does not any more.
  bool once(size_t at) {
    const auto& l = body_[at];
    if (l.kind != stmt_kind::loop || l.step != 1 || !is_wide(l.type) || (leaves_early(l.body) && l.op != early))
      return false;
    for (size_t k = 0; k < l.body.size(); ++k)
      if (grows(l, l.body[k]) && (l.op != early || !is_used_again(body_, at, l.body[k].target.text))) {
        rewrite(at, k);
        return true;
      }
    for (size_t k = 0; k < l.body.size(); ++k)
      if (flips(at, l, l.body[k])) {
        write_parity(at, k);
        return true;
      }
    for (size_t k = 0; k < l.body.size(); ++k)
      if (lags(at, l, l.body[k])) {
        write_lag(at, k);
        return true;
      }
    return false;
  }

private:
  static bool steps_by_number(const stmt& s) {
    const auto& v = s.target;
    return s.kind == stmt_kind::assign && s.op == "+=" && v.kind == expr_kind::name && literal_value(s.value)
           && (is_wide(v.type) || (v.type.depth == 1 && v.type.suffix.empty()));
  }

  static void join_steps(list& inside, const std::string& name) {
    list out;
    int64_t passed = 0;
    std::optional<stmt> step;
    for (auto& s : inside) {
      if (steps_by_number(s) && s.target.text == name) {
        passed += *literal_value(s.value);
        step = std::move(s);
        continue;
      }
      if (passed > 0 && mentions(s, name))
        move_on(s, step->target,
                make_literal(passed, step->target.type.depth > 0 ? scalar_kind::i64 : step->target.type.base));
      out.push_back(std::move(s));
    }
    step->value = make_literal(passed, bare(step->value).type.base);
    out.push_back(std::move(*step));
    inside = std::move(out);
  }

  // Returns true if nothing but so many statements of the loop changes the variable, by text or address either.
  static bool is_set_here_alone(const stmt& l, const expr& variable, size_t times = 1) {
    const auto& v = variable.text;
    bool spoken_of = false;
    walk(l.body, [&](const stmt& x) {
      spoken_of = spoken_of || std::find(x.names.begin(), x.names.end(), v) != x.names.end()
                  || (!x.type.suffix.empty() && replace_identifier(x.type.suffix, v, "") != x.type.suffix);
    });
    walk_exprs(l.body, [&](const expr& e) {
      spoken_of = spoken_of || std::find(e.names.begin(), e.names.end(), v) != e.names.end()
                  || (e.kind == expr_kind::unary && e.text == "&" && mentions(e, v));
    });
    return !spoken_of && times_set(l.body, v) == times && declared(l.body).count(v) == 0;
  }

  static bool grows(const stmt& l, const stmt& s) {
    const bool walks = s.target.type.depth == 1 && s.target.type.suffix.empty(); // a pointer
    if (s.kind != stmt_kind::assign || s.op != "+=" || s.target.kind != expr_kind::name
        || !(is_wide(s.target.type) || walks) || !is_wide(bare(s.value).type) || s.target.text == l.name)
      return false;
    const auto& v = s.target.text;
    const auto own = declared(l.body);
    bool by_own = false;
    if (bits(s.target.type.base) < bits(l.type.base)) // written in more bits, it would be converted otherwise
      walk_exprs(l.body, [&](const expr& e) {
        by_own = by_own || (e.kind == expr_kind::cast && is_unsigned(e.type.base) && !walks && mentions(e.args[0], v));
      });
    walk(s.value, [&](const expr& e) { by_own = by_own || (e.kind == expr_kind::name && own.count(e.text) != 0); });
    return !by_own && is_set_here_alone(l, s.target) && !mentions(s.value, v) && !mentions(s.value, l.name)
           && is_speculable(s.value) && invariant(s.value, l.body) && invariant(l.from, l.body) && !mentions(l.from, v)
           && !mentions(l.to, v);
  }

  // Returns true for `odd = !odd;` or `odd ^= 1;`, from 0 or 1 on.
  bool flips(size_t at, const stmt& l, const stmt& s) const {
    if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || !is_integer(s.target.type.base)
        || s.target.type.depth != 0 || s.target.text == l.name || is_used_again(body_, at, s.target.text))
      return false;
    const auto& v = bare(s.value);
    const bool turns = s.op == "=" && v.kind == expr_kind::unary && v.text == "!" && same(bare(v.args[0]), s.target);
    if (!turns && !(s.op == "^=" && literal_value(s.value) == 1))
      return false;
    const auto start = start_of(body_, at, s.target.text);
    if (start == at)
      return false;
    const auto first = literal_value(body_[start].value);
    return first && (*first == 0 || *first == 1) && invariant(l.from, l.body) && is_set_here_alone(l, s.target);
  }

  void write_parity(size_t at, size_t k) {
    auto& l = body_[at];
    auto& inside = l.body.change();
    const auto v = inside[k].target;
    const auto first = *literal_value(body_[start_of(body_, at, v.text)].value);
    const auto number = scalar_type(scalar_kind::i32);
    const auto odd = [&](int64_t more) {
      auto rounds = make_binary("-", make_name(l.name, l.type), l.from);
      if (bits(rounds.type.base) > 32)
        rounds = make_expr(expr_kind::cast, number, {std::move(rounds)});
      auto parity = make_expr(expr_kind::binary, number, {std::move(rounds), make_literal(1)}, "&");
      if (more % 2 != 0)
        parity = make_expr(expr_kind::binary, number, {std::move(parity), make_literal(1)}, "^");
      return v.type.base == number.base ? parity
                                        : make_expr(expr_kind::cast, scalar_type(v.type.base), {std::move(parity)});
    };
    for (size_t j = 0; j < inside.size(); ++j)
      if (j != k)
        substitute(inside[j], v.text, odd(first + (j < k ? 0 : 1)));
    inside.erase(inside.begin() + static_cast<ptrdiff_t>(k));
  }

  // Returns true for `j = i;` for the next round: a wrap-around variable (Wolfe, "Beyond induction variables", 1992).
  bool lags(size_t at, const stmt& l, const stmt& s) const {
    if (s.kind != stmt_kind::assign || s.op != "=" || s.target.kind != expr_kind::name
        || bare(s.value).kind != expr_kind::name || bare(s.value).text != l.name || l.op == early
        || s.target.type.base != l.type.base || !is_wide(s.target.type) || is_used_again(body_, at, s.target.text))
      return false;
    const auto start = start_of(body_, at, s.target.text);
    return start != at && is_speculable(body_[start].value) && invariant(body_[start].value, l.body)
           && invariant(l.from, l.body) && is_set_here_alone(l, s.target);
  }

  void write_lag(size_t at, size_t k) {
    auto& l = body_[at];
    auto& inside = l.body.change();
    const auto v = inside[k].target;
    const auto index = make_name(l.name, l.type);
    const auto before = bare(body_[start_of(body_, at, v.text)].value);
    const auto last = make_name(fresh_name(p_, v.text), v.type);
    for (size_t j = 0; j < inside.size(); ++j)
      if (j != k)
        substitute(inside[j], v.text, j < k ? last : index);
    inside.erase(inside.begin() + static_cast<ptrdiff_t>(k));
    auto again = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {index, l.from}, ">");
    inside.insert(inside.begin(),
                  make_declare(last.text, last.type,
                               make_expr(expr_kind::conditional, last.type,
                                         {std::move(again), make_binary("-", index, make_literal(1)), before})));
  }

  void rewrite(size_t at, size_t k) {
    auto& l = body_[at];
    const auto s = l.body[k];
    const auto v = s.target;
    const bool walks = v.type.depth > 0;
    const auto as_v = [&](const expr& e) {
      return walks || bits(bare(e).type.base) >= bits(v.type.base) || literal_value(e)
                 ? e
                 : make_expr(expr_kind::cast, scalar_type(v.type.base), {bare(e)});
    };
    const auto grown = as_v(s.value);
    const auto rounds = make_binary("-", make_name(l.name, l.type), l.from);
    const auto so_far = make_binary("*", as_v(rounds), grown);
    auto& inside = l.body.change();
    for (size_t j = 0; j < inside.size(); ++j)
      if (j != k)
        move_on(inside[j], v, j < k ? so_far : make_binary("+", so_far, grown));
    inside.erase(inside.begin() + static_cast<ptrdiff_t>(k));
    if (is_used_again(body_, at, v.text)) {
      auto all = make_binary("-", l.to, l.from);
      if (!is_never_empty(l))
        all = make_expr(expr_kind::conditional, all.type,
                        {make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {l.from, l.to}, "<"), all,
                         make_literal(0, all.type.base)});
      body_.insert(body_.begin() + static_cast<ptrdiff_t>(at) + 1,
                   make_assign(v, "+=", make_binary("*", as_v(all), grown)));
    }
  }

  // v[e] is v[by + e], other uses of v are v + by.
  static void move_on(stmt& s, const expr& v, const expr& by) {
    if (v.type.depth == 0)
      return substitute(s, v.text, make_binary("+", v, by));
    const auto there = v.text + " of old"; // no name of C's
    list one{std::move(s)};
    rewrite_exprs(one, [&](expr& e) {
      if (e.kind != expr_kind::subscript || !same(bare(e.args[0]), v))
        return;
      auto& args = e.args.change();
      args[0] = make_name(there, v.type);
      args[1] = make_binary("+", by, args[1]);
    });
    s = std::move(one[0]);
    substitute(s, v.text, make_expr(expr_kind::binary, v.type, {v, by}, "+"));
    substitute(s, there, v);
  }

  // Sizes are never negative.
  bool is_never_empty(const stmt& l) const {
    const auto& to = bare(l.to);
    const bool size = to.kind == expr_kind::name
                      && std::any_of(p_.parameters.begin(), p_.parameters.end(),
                                     [&](const parameter& x) { return x.name == to.text; });
    const auto first = literal_value(l.from);
    const auto end = literal_value(to);
    return (first == 0 && size) || (first && end && *first <= *end);
  }

  program& p_;
  list& body_;
};

} // namespace

void write_inductions(program& p, list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    write_inductions(p, body[i].body.change());
    write_inductions(p, body[i].otherwise.change());
    writer{p, body}.step_once(i);
    while (writer{p, body}.once(i)) {
    }
  }
}

} // namespace kevolve::transform
