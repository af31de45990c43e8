#include "backends/generators/transform/moves/borders.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Returns true if every value of the expression is one of the type, without wrapping.
bool keeps_value(scalar_kind type, const expr& value) {
  const auto from = bare(value).type.base;
  return type == from || (is_integer(from) && !is_unsigned(type) && !is_unsigned(from) && bits(type) > bits(from));
}

expr as(const ctype& type, const expr& value) {
  return literal_value(value) ? value : make_expr(expr_kind::cast, scalar_type(type.base), {bare(value)});
}

linear_form sum(linear_form a, const linear_form& b, int64_t sign) {
  a.coefficient += sign * b.coefficient;
  for (const auto& [name, c] : b.inner)
    a.inner[name] += sign * c;
  a.fixed = literal_value(b.fixed) == 0 ? a.fixed : make_binary(sign > 0 ? "+" : "-", a.fixed, b.fixed);
  return a;
}

// Sums and products with every part of them in 64 bits.
expr in_64_bits(const expr& whole) {
  static const std::set<std::string> sums{"+", "-", "*"};
  const auto& e = bare(whole);
  if (e.kind == expr_kind::literal)
    return e;
  if ((e.kind != expr_kind::binary && e.kind != expr_kind::unary) || sums.count(e.text) == 0
      || is_unsigned(e.type.base))
    return e.type.base == scalar_kind::i64 ? e : make_expr(expr_kind::cast, scalar_type(scalar_kind::i64), {e});
  auto out = e;
  out.type = scalar_type(scalar_kind::i64);
  for (auto& a : out.args.change())
    a = in_64_bits(a);
  return out;
}

bool hangs_on(const expr& e, const std::string& index, const way& w) {
  bool out = false;
  walk(e, [&](const expr& x) {
    if (x.kind != expr_kind::name)
      return;
    const auto it = w.defined.find(x.text);
    out = out || x.text == index || (it != w.defined.end() && hangs_on(it->second, index, w));
  });
  return out;
}

std::string opposite(const std::string& op) {
  static const std::map<std::string, std::string> all{{"<", ">="}, {">=", "<"},  {">", "<="},
                                                      {"<=", ">"}, {"==", "!="}, {"!=", "=="}};
  const auto it = all.find(op);
  return it == all.end() ? "" : it->second;
}

} // namespace

void pass(way& w, const stmt& s, const std::set<std::string>& changed) {
  const auto stays = [&](const std::string& name) { return changed.count(name) == 0; };
  bool fixed = true;
  if (s.kind == stmt_kind::declare)
    walk(s.value, [&](const expr& e) { fixed = fixed && (e.kind != expr_kind::name || stays(e.text)); });
  if (s.kind == stmt_kind::declare && s.has_value && is_integer(s.type.base) && s.type.lanes == 1 && s.type.depth == 0
      && s.type.suffix.empty() && !s.is_static && stays(s.name) && fixed && keeps_value(s.type.base, s.value))
    w.defined.emplace(s.name, bare(s.value).type.base == s.type.base ? s.value : as(s.type, s.value));
}

border_reader::border_reader(const stmt& loop, const way& w)
    : loop_(loop), way_(w), changed_(assigned(loop.body)), inside_(declared(loop.body)) {}

std::optional<linear_form> border_reader::read(const expr& whole) const {
  const auto& e = bare(whole);
  if (!is_integer(e.type.base) || is_unsigned(e.type.base) || e.type.lanes != 1)
    return {};
  if (e.kind == expr_kind::cast && keeps_value(e.type.base, e.args[0]))
    return read(e.args[0]);
  if (e.kind == expr_kind::name) {
    linear_form f;
    if (e.text == loop_.name)
      f.coefficient = 1;
    else if (way_.loops.count(e.text) != 0)
      f.inner[e.text] = 1;
    else if (const auto it = way_.defined.find(e.text); it != way_.defined.end())
      return read(it->second);
    else if (is_fixed(e))
      f.fixed = e;
    else
      return {};
    return f;
  }
  if (e.kind == expr_kind::binary && (e.text == "+" || e.text == "-")) {
    auto a = read(e.args[0]);
    auto b = read(e.args[1]);
    if (!a || !b)
      return {};
    return sum(std::move(*a), *b, e.text == "+" ? 1 : -1);
  }
  if (e.kind == expr_kind::binary && e.text == "*")
    for (const size_t i : {0U, 1U})
      if (const auto factor = literal_value(e.args[i]))
        if (auto f = read(e.args[1 - i])) {
          f->coefficient *= *factor;
          for (auto& [name, c] : f->inner)
            c *= *factor;
          f->fixed = make_binary("*", f->fixed, make_literal(*factor));
          return f;
        }
  if (!is_fixed(e) || !is_speculable(e))
    return {};
  linear_form f;
  f.fixed = e;
  return f;
}

bool border_reader::is_fixed(const expr& whole) const {
  bool ok = true;
  walk(whole, [&](const expr& e) {
    ok = ok && e.kind != expr_kind::subscript && e.kind != expr_kind::call && e.kind != expr_kind::opaque
         && (e.kind != expr_kind::name
             || (e.text != loop_.name && changed_.count(e.text) == 0 && inside_.count(e.text) == 0));
  });
  return ok;
}

// The form is at least 0 there, for all that the loops inside do.
std::string border_reader::narrow_by(middle_range& r, linear_form least) const {
  for (const auto& [name, factor] : least.inner) {
    const auto& inner = way_.loops.at(name);
    if (factor == 0)
      continue;
    if (!is_fixed(inner.from) || !is_fixed(inner.to) || inner.step < 1)
      return "the bounds of " + inner.label + " are not the same in all iterations";
    const auto worst = factor > 0 ? inner.from : make_binary("-", inner.to, make_literal(1));
    least.fixed = make_binary("+", least.fixed, make_binary("*", worst, make_literal(factor)));
  }
  if (least.coefficient == 1)
    r.first.push_back(make_binary("-", make_literal(0), least.fixed));
  else if (least.coefficient == -1)
    r.end.push_back(make_binary("+", least.fixed, make_literal(1)));
  else
    return "its condition does not compare the loop's index once";
  return {};
}

std::string border_reader::narrow(middle_range& r, const expr& condition, bool holds) const {
  const auto& c = bare(condition);
  if (c.kind == expr_kind::unary && c.text == "!")
    return narrow(r, c.args[0], !holds);
  if (c.kind == expr_kind::binary && c.text == (holds ? "&&" : "||")) {
    auto why = narrow(r, c.args[0], holds);
    return why.empty() ? narrow(r, c.args[1], holds) : why;
  }
  const auto op = c.kind != expr_kind::binary ? "" : holds ? opposite(opposite(c.text)) : opposite(c.text);
  if (op.empty() || op == "==")
    return "its condition is more than comparisons";
  const auto a = read(c.args[0]);
  const auto b = read(c.args[1]);
  if (!a || !b)
    return "its condition is not linear in the loops around it";
  const auto at_least = [&](linear_form f, bool strict) { // 0, or 1
    if (strict)
      f.fixed = make_binary("-", f.fixed, make_literal(1));
    return narrow_by(r, std::move(f));
  };
  if (op == "!=") { // one value is left out: the loop's first, or else its last
    const auto f = sum(*a, *b, -1);
    const auto up = f.coefficient < 0 ? sum(*b, *a, -1) : f;
    const auto left_out = literal_value(make_binary("-", make_literal(0), up.fixed));
    const bool at_start = left_out && left_out == literal_value(loop_.from);
    return at_least(at_start ? up : sum({}, up, -1), true);
  }
  const bool less = op == "<" || op == "<=";
  return at_least(less ? sum(*b, *a, -1) : sum(*a, *b, -1), op == "<" || op == ">");
}

std::optional<bool> inner_side(const expr& choice, const stmt& loop, const way& w, bool is_count) {
  const auto hangs = [&](size_t i) { return hangs_on(choice.args[i], loop.name, w); };
  if (!hangs(0) || (!hangs(1) && !hangs(2)))
    return {};
  if (hangs(1) != hangs(2))
    return hangs(1) != is_count;
  const auto& c = bare(choice.args[0]);
  if (c.kind != expr_kind::binary || opposite(c.text).empty())
    return {};
  if (c.text == "==" || c.text == "!=")
    return c.text == "!=";
  const bool left = hangs_on(c.args[0], loop.name, w);
  const bool below = (c.text[0] == '<') == left; // it asks whether the index is below a bound
  return literal_value(c.args[left ? 1 : 0]).has_value() != below;
}

std::string why_not_cut(const stmt& l) {
  if (l.kind != stmt_kind::loop || l.step != 1 || l.lanes > 1 || is_unsigned(l.type.base))
    return "it does not count up by one";
  bool copyable = true; // a label must not stand twice
  walk(l.body, [&](const stmt& s) { copyable = copyable && s.kind != stmt_kind::opaque; });
  if (!copyable)
    return "it holds a construct left as it is";
  bool computes = true; // who is called may change what the file has
  walk_exprs(l.body, [&](const expr& e) { computes = computes && (e.kind != expr_kind::call || is_pure_call(e)); });
  if (!computes)
    return "it calls a function that may change what its borders are";
  if (is_unsigned(bare(l.to).type.base)) // or each part would compare otherwise than the whole
    return "its end is unsigned";
  const way none;
  if (!border_reader{l, none}.is_fixed(l.to)) // the cuts are made once
    return "its end is not fixed";
  return {};
}

list cut_at(program& p, const stmt& l, const middle_range& r, const std::function<void(list&)>& inside) {
  const auto flag = scalar_type(scalar_kind::i32);
  list out;
  const auto limit = [&](const expr& x, const char* op, const expr& bound) { // x = x op bound ? bound : x
    stmt s;
    s.kind = stmt_kind::branch;
    s.value = make_expr(expr_kind::binary, flag, {x, bound}, op);
    s.body = {make_assign(x, "=", bound)};
    out.push_back(std::move(s));
  };
  // Sums of what an index is compared with may not fit into their types; what they come to inside the loop does.
  const auto edge = [&](const char* suffix, const std::vector<expr>& all, const char* narrower) {
    auto type = l.type;
    type.is_const = false;
    const bool narrow = bits(type.base) < 64;
    const auto held = narrow ? scalar_type(scalar_kind::i64) : type;
    auto x = make_name(fresh_name(p, l.name + suffix), held);
    out.push_back(make_declare(x.text, held, in_64_bits(all.front())));
    for (size_t i = 1; i < all.size(); ++i)
      limit(x, narrower, in_64_bits(all[i]));
    limit(x, "<", l.from);
    limit(x, ">", l.to);
    if (!narrow)
      return x;
    auto fits = make_name(fresh_name(p, l.name + suffix), type);
    out.push_back(make_declare(fits.text, type, make_expr(expr_kind::cast, type, {x})));
    return fits;
  };
  const auto first = r.first.empty() ? l.from : edge("_first", r.first, "<");
  const auto end = r.end.empty() ? l.to : edge("_end", r.end, ">");
  if (!r.first.empty() && !r.end.empty())
    limit(end, "<", first);
  const auto part = [&](loop_label label, const expr& from, const expr& to) {
    auto s = l;
    s.label = std::move(label);
    s.from = from;
    s.to = to;
    s.has_value = false;
    return s;
  };
  if (!r.first.empty())
    out.push_back(part(l.label.with(loop_role::before_border), l.from, first));
  auto middle = part(l.label, first, end);
  // A bound made of variables that the loops around change would hold something else in copies of this loop.
  const auto lasts = [&](const expr& e) {
    bool ok = true;
    walk(e, [&](const expr& x) {
      ok = ok
           && (x.kind != expr_kind::name
               || std::any_of(p.parameters.begin(), p.parameters.end(),
                              [&](const parameter& a) { return a.name == x.text; }));
    });
    return ok;
  };
  std::copy_if(r.first.begin(), r.first.end(), std::back_inserter(middle.at_least.change()), lasts);
  std::copy_if(r.end.begin(), r.end.end(), std::back_inserter(middle.below.change()), lasts);
  inside(middle.body.change());
  out.push_back(std::move(middle));
  if (!r.end.empty())
    out.push_back(part(l.label.with(loop_role::after_border), end, l.to));
  return out;
}

void write_in_place(list& body, const std::set<std::string>& locals) {
  for (size_t i = 0; i < body.size(); ++i) {
    write_in_place(body[i].body.change(), locals);
    write_in_place(body[i].otherwise.change(), locals);
    if (body[i].kind != stmt_kind::declare || locals.count(body[i].name) == 0 || !is_speculable(body[i].value))
      continue;
    const auto& s = body[i];
    const auto value = bare(s.value).type.base == s.type.base
                           ? s.value
                           : make_expr(expr_kind::cast, scalar_type(s.type.base), {bare(s.value)});
    const auto name = s.name;
    body.erase(body.begin() + static_cast<ptrdiff_t>(i));
    for (size_t k = i; k < body.size(); ++k)
      substitute(body[k], name, value);
    --i;
  }
}

} // namespace kevolve::transform
