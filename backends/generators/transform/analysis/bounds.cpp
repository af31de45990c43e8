#include "backends/generators/transform/analysis/bounds.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/normalise/steps.hpp"
#include "runtime/base/expression.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace kevolve::transform {

namespace {

class bounds_reader {
public:
  bounds_reader(const program& p, loop_label label, const contract& task)
      : label_(std::move(label)), task_(task), changed_(assigned(p.body)) {
    const auto set = changed_;
    walk(p.body, [&](const stmt& s) {
      if (s.kind != stmt_kind::declare)
        return;
      changed_.insert(s.name);
      const auto n = literal_value(s.value).value_or(0);
      if (s.has_value && !s.is_static && set.count(s.name) == 0 && is_integer(s.type.base) && !is_unsigned(s.type.base)
          && bits(s.type.base) >= 32 && s.type.suffix.empty() && s.type.depth == 0 && keeps_value(s.value, s.type)
          && n == static_cast<int32_t>(n))
        known_.emplace(s.name, bare(s.value));
    });
    if (!holds_opaque(p.body)) // which may change what its text does not name
      look(p.body, false);
    for (const auto& text : elsewhere_)
      within.erase(text);
  }

  std::set<std::string> within;

private:
  void look(const std::vector<stmt>& body, bool inside) {
    for (size_t i = 0; i < body.size(); ++i) {
      const auto& s = body[i];
      const auto counted = s.kind == stmt_kind::while_loop && i > 0 ? counting(body[i - 1], s) : std::nullopt;
      if (inside)
        for_each_expr(s, [&](const expr& whole) { note(counted && &whole == &s.value ? asked_first(whole) : whole); });
      const auto* around = s.kind == stmt_kind::loop ? &s : counted ? &*counted : nullptr;
      if (around != nullptr)
        loops_.push_back(around);
      if (counted && (inside || s.label == label_)) // while it counts, no further
        for (const auto* c = &bare(s.value); c->text == "&&"; c = &bare(c->args[0]))
          note(c->args[1]);
      for (const auto* inner : {&s.body, &s.otherwise})
        look(*inner, inside || s.label == label_);
      if (around != nullptr)
        loops_.pop_back();
    }
  }

  void note(const expr& whole) {
    walk(whole, [&](const expr& e) {
      if (e.kind == expr_kind::subscript)
        (lies_within(e) ? within : elsewhere_).insert(print(e));
    });
  }

  static const expr& asked_first(const expr& condition) {
    const auto* c = &bare(condition);
    while (c->kind == expr_kind::binary && c->text == "&&")
      c = &bare(c->args[0]);
    return *c;
  }

  // Reads `int j = 0; while (j < n && …) { …; j += 1; }`: what the body does, it does as in a loop over j.
  static std::optional<stmt> counting(const stmt& before, const stmt& s) {
    if (before.kind != stmt_kind::declare || !before.has_value || s.body.empty())
      return {};
    const auto& step = s.body.back();
    const auto* c = &asked_first(s.value);
    size_t sets = 0;
    walk(s.body, [&](const stmt& x) {
      sets += x.kind == stmt_kind::assign && x.target.kind == expr_kind::name && x.target.text == before.name ? 1U : 0U;
    });
    if (c->kind != expr_kind::binary || c->text != "<" || bare(c->args[0]).kind != expr_kind::name
        || bare(c->args[0]).text != before.name || step.kind != stmt_kind::assign || step.op != "+="
        || step.target.kind != expr_kind::name || step.target.text != before.name
        || literal_value(step.value).value_or(0) < 1 || sets != 1)
      return {};
    stmt out;
    out.kind = stmt_kind::loop;
    out.name = before.name;
    out.type = before.type;
    out.from = before.value;
    out.to = c->args[1];
    return out;
  }

  bool is_size(const std::string& name) const {
    const auto* a = find_argument(task_, name);
    return a != nullptr && a->role == argument_role::size && changed_.count(name) == 0;
  }

  bool is_never_negative(const polynomial& p) const {
    return p.never_negative([&](const std::string& name) {
      return is_size(name) || quotients_.count(name) != 0 ? std::optional<int64_t>{0} : std::nullopt;
    });
  }

  // Returns true if C takes the value modulo 2^32 (modulo 2^64 an element stands where it stood).
  static bool may_wrap(const expr& x) {
    const bool converts = x.kind == expr_kind::cast && x.args[0].type.base != scalar_kind::u32;
    const bool computes = x.kind == expr_kind::binary || x.kind == expr_kind::unary;
    return x.type.base == scalar_kind::u32 && (converts || computes);
  }

  // Returns the expression with the values of local variables in their places. Only variables are replaced whose values
  // never change but for the indices of the loops around.
  expr resolved(expr e, int depth = 0) const {
    std::set<std::string> names;
    walk(e, [&](const expr& x) {
      if (x.kind == expr_kind::name)
        names.insert(x.text);
    });
    for (const auto& name : names) {
      const auto value = known_.find(name);
      if (value == known_.end() || depth > 4)
        continue;
      const auto whole = resolved(value->second, depth + 1);
      bool stays = true;
      walk(whole, [&](const expr& x) {
        const bool index = std::any_of(loops_.begin(), loops_.end(), [&](const stmt* l) { return l->name == x.text; });
        stays = stays && x.kind != expr_kind::subscript && x.kind != expr_kind::call && x.kind != expr_kind::opaque
                && x.kind != expr_kind::member && (x.kind != expr_kind::name || index || changed_.count(x.text) == 0);
      });
      if (stays)
        substitute(e, name, whole);
    }
    return e;
  }

  // Returns true if the value may be far above its operands: below 0, without a sign.
  bool may_pass_zero(const expr& e) const {
    bool found = false;
    walk(e, [&](const expr& x) {
      if (!is_unsigned(x.type.base) || !is_integer(x.type.base))
        return;
      const auto from = x.kind == expr_kind::cast ? bare(x.args[0]) : expr{};
      const bool was_signed = x.kind == expr_kind::cast && !is_unsigned(from.type.base) && !literal_value(from)
                              && !(from.kind == expr_kind::name && is_size(from.text));
      found = found || was_signed || ((x.kind == expr_kind::binary || x.kind == expr_kind::unary) && x.text == "-");
    });
    return found;
  }

  // Collects the values that the end is never above: for the lesser of two, both.
  void bounds_of(const expr& e, std::vector<expr>& out) const {
    const auto whole = resolved(e);
    const auto& x = bare(whole);
    if (may_pass_zero(whole))
      return;
    if (x.kind == expr_kind::minimum) {
      for (const auto& a : x.args)
        bounds_of(a, out);
      return;
    }
    const auto& c = x.kind == expr_kind::conditional ? bare(x.args[0]) : x;
    const bool less = c.text == "<" || c.text == "<=";
    if (x.kind != expr_kind::conditional || c.kind != expr_kind::binary || is_unsigned(c.args[0].type.base)
        || is_unsigned(c.args[1].type.base) || (!less && c.text != ">" && c.text != ">=")
        || !same(bare(c.args[less ? 0 : 1]), bare(x.args[1])) || !same(bare(c.args[less ? 1 : 0]), bare(x.args[2])))
      return out.push_back(x);
    bounds_of(x.args[1], out);
    bounds_of(x.args[2], out);
  }

  // Sums and products of sizes and indices; of other things, what is left of a division that cannot be negative.
  std::optional<polynomial> read(const expr& e) {
    bool fine = true;
    walk(e, [&](const expr& x) { fine = fine && !may_wrap(x); });
    if (!fine)
      return {};
    auto out = to_polynomial(e, [&](const expr& atom) {
      const auto& a = bare(atom);
      const auto by = a.kind == expr_kind::binary && a.text == "/" ? literal_value(a.args[1]) : std::nullopt;
      const auto of = by.value_or(0) > 0 ? to_polynomial(a.args[0]) : std::nullopt;
      const auto name = to_polynomial(atom);
      fine = fine && of && is_never_negative(*of) && name && name->names().size() == 1;
      if (fine)
        quotients_.insert(name->names().front());
    });
    return fine ? out : std::nullopt;
  }

  // Reads sums and products of names and numbers; nothing if the text is anything else.
  static std::optional<polynomial> polynomial_of(const std::string& text) {
    const auto e = expression::parse(text);
    if (!e)
      return {};
    std::vector<polynomial> stack;
    for (const auto& t : e->postfix()) {
      using kind = expression::token::kind;
      if (t.what == kind::other)
        return {};
      if (t.what == kind::number || t.what == kind::name) {
        stack.push_back(t.what == kind::number ? polynomial{t.number} : polynomial{t.name});
        continue;
      }
      const auto last = std::move(stack.back());
      stack.pop_back();
      if (t.what == kind::negate) {
        stack.push_back(polynomial{0} - last);
        continue;
      }
      auto& first = stack.back();
      first = t.what == kind::add ? first + last : t.what == kind::subtract ? first - last : first * last;
    }
    return stack.back();
  }

  std::optional<polynomial> extent_of(const argument& a) const {
    polynomial out{1};
    for (const auto& dimension : a.shape) {
      const auto d = polynomial_of(dimension);
      if (!d)
        return {};
      out = out * *d;
    }
    for (const auto& name : out.names())
      if (!is_size(name))
        return {};
    return out;
  }

  bool lies_within(const expr& e) {
    if (e.args[0].kind != expr_kind::name || changed_.count(e.args[0].text) != 0)
      return false;
    const auto* a = find_argument(task_, e.args[0].text);
    if (a == nullptr || a->shape.empty() || !a->strides.empty())
      return false;
    const auto extent = extent_of(*a);
    auto low = read(resolved(e.args[1]));
    if (!extent || !low)
      return false;
    std::vector<polynomial> lows{*low};
    std::vector<polynomial> highs{*low};
    for (auto l = loops_.rbegin(); l != loops_.rend(); ++l) {
      const auto& loop = **l;
      const auto mentions = [&](const polynomial& x) { return x.mentions(loop.name); };
      if (std::none_of(lows.begin(), lows.end(), mentions) && std::none_of(highs.begin(), highs.end(), mentions))
        continue;
      const bool counted = loop.label.empty(); // by counting(), which knows what changes it
      if (loop.step < 1 || is_unsigned(loop.type.base) || (!counted && changed_.count(loop.name) != 0))
        return false;
      auto [first, last] = ends_of(loop);
      lows = at_ends(lows, loop.name, first, last);
      highs = at_ends(highs, loop.name, last, first);
    }
    return std::any_of(lows.begin(), lows.end(), [&](const polynomial& x) { return is_never_negative(x); })
           && std::any_of(highs.begin(), highs.end(),
                          [&](const polynomial& x) { return is_never_negative(*extent - polynomial{1} - x); });
  }

  // Returns the values that an index is never below, and never above.
  std::pair<std::vector<polynomial>, std::vector<polynomial>> ends_of(const stmt& loop) {
    std::vector<expr> from{resolved(loop.from)};
    std::vector<expr> to;
    bounds_of(loop.to, to);
    from.insert(from.end(), loop.at_least.begin(), loop.at_least.end());
    to.insert(to.end(), loop.below.begin(), loop.below.end());
    std::pair<std::vector<polynomial>, std::vector<polynomial>> out;
    for (const auto& e : from)
      if (auto x = read(e))
        out.first.push_back(std::move(*x));
    for (const auto& e : to)
      if (auto x = read(e))
        out.second.push_back(*x - polynomial{1});
    return out;
  }

  // Returns each with the index at each of these ends, or those of the other side where it stands with a negative
  // factor.
  std::vector<polynomial> at_ends(const std::vector<polynomial>& all, const std::string& index,
                                  const std::vector<polynomial>& ends, const std::vector<polynomial>& others) const {
    std::vector<polynomial> out;
    for (const auto& p : all) {
      const auto parts = p.linear_in(index);
      if (!parts)
        continue;
      if (parts->first.is_zero()) {
        out.push_back(p);
        continue;
      }
      const bool forwards = is_never_negative(parts->first);
      if (!forwards && !is_never_negative(polynomial{0} - parts->first))
        continue;
      for (const auto& end : forwards ? ends : others)
        out.push_back(parts->first * end + parts->second);
    }
    return out;
  }

  loop_label label_;
  const contract& task_;
  std::set<std::string> changed_;
  std::map<std::string, expr> known_; // local variables that get no other value
  std::set<std::string> elsewhere_;   // not known to lie within, in some place where it stands
  std::set<std::string> quotients_;
  std::vector<const stmt*> loops_;
};

} // namespace

std::set<std::string> reads_within(const program& p, const loop_label& label, const contract& task) {
  return bounds_reader{p, label, task}.within;
}

} // namespace kevolve::transform
