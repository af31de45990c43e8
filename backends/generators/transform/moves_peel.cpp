// Borders peeled off: where a guard deep in a nest holds for all that a loop's iteration does, it goes.
#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/moves.hpp"

#include <algorithm>
#include <map>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// coefficient * index + the loops inside, each with its own factor + what is fixed meanwhile.
struct linear_form {
  int64_t coefficient = 0;
  std::map<std::string, int64_t> inner;
  expr fixed = make_literal(0);
};

// The way from a loop to a branch somewhere in its body.
struct way {
  std::map<std::string, stmt> loops;   // around the branch, by index
  std::map<std::string, expr> defined; // locals on the way whose values can be written in their places
  const stmt* branch = nullptr;
};

// Whether every value of the expression is one of the type, without wrapping.
bool keeps_value(scalar_kind type, const expr& value) {
  const auto from = bare(value).type.base;
  return type == from || (is_integer(from) && !is_unsigned(type) && !is_unsigned(from) && bits(type) > bits(from));
}

expr as(const ctype& type, const expr& value) {
  return literal_value(value) ? value : make_expr(expr_kind::cast, scalar_type(type.base), {bare(value)});
}

bool find(const list& body, const std::string& label, const std::set<std::string>& changed, way& w) {
  for (const auto& s : body) {
    if (s.kind == stmt_kind::branch && s.label == label) {
      w.branch = &s;
      return true;
    }
    const auto stays = [&](const std::string& name) { return changed.count(name) == 0; };
    bool fixed = true;
    if (s.kind == stmt_kind::declare)
      walk(s.value, [&](const expr& e) { fixed = fixed && (e.kind != expr_kind::name || stays(e.text)); });
    if (s.kind == stmt_kind::declare && s.has_value && is_integer(s.type.base) && s.type.lanes == 1 && s.type.depth == 0
        && s.type.suffix.empty() && !s.is_static && stays(s.name) && fixed && keeps_value(s.type.base, s.value))
      w.defined.emplace(s.name, bare(s.value).type.base == s.type.base ? s.value : as(s.type, s.value));
    auto inside = w;
    if (s.kind == stmt_kind::loop)
      inside.loops.emplace(s.name, s);
    if ((s.kind == stmt_kind::loop || s.kind == stmt_kind::block) && find(s.body, label, changed, inside)) {
      w = std::move(inside);
      return true;
    }
  }
  return false;
}

class reader {
public:
  reader(const stmt& loop, const way& w)
      : loop_(loop), way_(w), changed_(assigned(loop.body)), inside_(declared(loop.body)) {}

  std::optional<linear_form> read(const expr& whole) const {
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

  // Whether it has one value during the whole loop.
  bool is_fixed(const expr& whole) const {
    bool ok = true;
    walk(whole, [&](const expr& e) {
      ok = ok && e.kind != expr_kind::subscript && e.kind != expr_kind::call && e.kind != expr_kind::opaque
           && (e.kind != expr_kind::name
               || (e.text != loop_.name && changed_.count(e.text) == 0 && inside_.count(e.text) == 0));
    });
    return ok;
  }

  static linear_form sum(linear_form a, const linear_form& b, int64_t sign) {
    a.coefficient += sign * b.coefficient;
    for (const auto& [name, c] : b.inner)
      a.inner[name] += sign * c;
    a.fixed = literal_value(b.fixed) == 0 ? a.fixed : make_binary(sign > 0 ? "+" : "-", a.fixed, b.fixed);
    return a;
  }

private:
  const stmt& loop_;
  const way& way_;
  std::set<std::string> changed_;
  std::set<std::string> inside_;
};

// Where a guard holds whatever the loops inside do: from the greatest of `first` on, before the least of `end`.
struct range {
  std::vector<expr> first;
  std::vector<expr> end;
};

std::string narrow(range& r, const expr& condition, const reader& read, const way& w) {
  const auto& c = bare(condition);
  if (c.kind == expr_kind::binary && c.text == "&&") {
    auto why = narrow(r, c.args[0], read, w);
    return why.empty() ? narrow(r, c.args[1], read, w) : why;
  }
  const bool less = c.text == "<" || c.text == "<=";
  if (c.kind != expr_kind::binary || (!less && c.text != ">" && c.text != ">="))
    return "its condition is more than comparisons";
  const auto a = read.read(c.args[less ? 1 : 0]);
  const auto b = read.read(c.args[less ? 0 : 1]);
  if (!a || !b)
    return "its condition is not linear in the loops around it";
  auto least = reader::sum(*a, *b, -1); // holds where this is at least 0, or 1
  for (const auto& [name, factor] : least.inner) {
    const auto& inner = w.loops.at(name);
    if (factor == 0)
      continue;
    if (!read.is_fixed(inner.from) || !read.is_fixed(inner.to) || inner.step < 1)
      return "the bounds of " + inner.label + " are not the same in all iterations";
    const auto worst = factor > 0 ? inner.from : make_binary("-", inner.to, make_literal(1));
    least.fixed = make_binary("+", least.fixed, make_binary("*", worst, make_literal(factor)));
  }
  const bool strict = c.text == "<" || c.text == ">";
  if (strict)
    least.fixed = make_binary("-", least.fixed, make_literal(1));
  if (least.coefficient == 1)
    r.first.push_back(make_binary("-", make_literal(0), least.fixed));
  else if (least.coefficient == -1)
    r.end.push_back(make_binary("+", least.fixed, make_literal(1)));
  else
    return "its condition does not compare the loop's index once";
  return {};
}

std::string range_of(const stmt& l, const std::string& branch, range& r, way& w) {
  if (l.kind != stmt_kind::loop || l.step != 1 || l.lanes > 1 || is_unsigned(l.type.base))
    return "it does not count up by one";
  bool copyable = true; // a label must not stand twice
  walk(l.body, [&](const stmt& s) { copyable = copyable && s.kind != stmt_kind::opaque; });
  if (!copyable)
    return "it holds a construct left as it is";
  size_t copies = 0; // each would have borders of its own
  walk(l.body,
       [&](const stmt& s) { copies += s.kind == stmt_kind::branch && s.label == branch ? size_t{1} : size_t{0}; });
  if (copies > 1)
    return branch + " stands in several places";
  if (!find(l.body, branch, assigned(l.body), w))
    return "no branch " + branch + " in loops inside it";
  if (w.loops.empty())
    return branch + " stands right inside it: cut";
  const reader read{l, w};
  if (!read.is_fixed(l.to)) // the cuts are made once
    return "its end is not fixed";
  return narrow(r, w.branch->value, read, w);
}

// The branch's body in its place, and the locals that its condition was made of where they are used.
void open(list& body, const std::string& branch, const std::map<std::string, expr>& defined) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].label == branch && body[i].kind == stmt_kind::branch) {
      auto inside = body[i].body.take();
      body.erase(body.begin() + static_cast<ptrdiff_t>(i));
      body.insert(body.begin() + static_cast<ptrdiff_t>(i), inside.begin(), inside.end());
      break;
    }
    open(body[i].body.change(), branch, defined);
  }
  for (size_t i = 0; i < body.size(); ++i)
    if (body[i].kind == stmt_kind::declare)
      if (const auto it = defined.find(body[i].name); it != defined.end() && is_speculable(it->second)) {
        const auto value = body[i].value;
        const auto name = body[i].name;
        body.erase(body.begin() + static_cast<ptrdiff_t>(i));
        for (size_t k = i; k < body.size(); ++k)
          substitute(body[k], name, value);
        --i;
      }
}

} // namespace

bool has_borders(const stmt& loop, const std::string& branch) {
  range r;
  way w;
  return range_of(loop, branch, r, w).empty();
}

result<void> peel(program& p, const std::string& loop, const std::string& branch) {
  return replace(p, loop, 2, [&](const stmt& l) -> result<list> {
    range r;
    way w;
    if (auto why = range_of(l, branch, r, w); !why.empty())
      return fail(errc::unsupported, loop + " has no borders for " + branch + ": " + why);
    const auto flag = scalar_type(scalar_kind::i32);
    list out;
    const auto limit = [&](const expr& x, const char* op, const expr& bound) { // x = x op bound ? bound : x
      stmt s;
      s.kind = stmt_kind::branch;
      s.value = make_expr(expr_kind::binary, flag, {x, bound}, op);
      s.body = {make_assign(x, "=", bound)};
      out.push_back(std::move(s));
    };
    const auto edge = [&](const char* suffix, const std::vector<expr>& all, const char* narrower) {
      auto type = l.type;
      type.is_const = false;
      const auto x = make_name(fresh_name(p, l.name + suffix), type);
      out.push_back(make_declare(x.text, type, all.front()));
      for (size_t i = 1; i < all.size(); ++i)
        limit(x, narrower, all[i]);
      limit(x, "<", l.from);
      limit(x, ">", l.to);
      return x;
    };
    const auto first = r.first.empty() ? l.from : edge("_first", r.first, "<");
    const auto end = r.end.empty() ? l.to : edge("_end", r.end, ">");
    if (!r.first.empty() && !r.end.empty())
      limit(end, "<", first);
    const auto part = [&](const char* suffix, const expr& from, const expr& to) {
      auto s = l;
      s.label = loop + suffix;
      s.from = from;
      s.to = to;
      s.has_value = false;
      return s;
    };
    if (!r.first.empty())
      out.push_back(part("h", l.from, first));
    auto middle = part("", first, end);
    open(middle.body.change(), branch, w.defined);
    out.push_back(std::move(middle));
    if (!r.end.empty())
      out.push_back(part("e", end, l.to));
    return out;
  });
}

} // namespace kevolve::transform
