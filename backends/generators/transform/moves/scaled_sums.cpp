#include "backends/generators/transform/moves/scaled_sums.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Returns the g of exp(g - m), or nothing.
const expr* exponent_of(const expr& e, const expr& m) {
  const bool exponential = (e.kind == expr_kind::call && (e.text == "expf" || e.text == "exp"))
                           || (e.kind == expr_kind::elementwise && e.text == "exp");
  if (!exponential || e.computes || e.args.size() != 1 || e.type.base != m.type.base || e.type.lanes > 1)
    return nullptr;
  const auto& d = bare(e.args[0]);
  if (d.kind != expr_kind::binary || d.text != "-" || d.type.base != m.type.base)
    return nullptr;
  const auto& subtracted = bare(d.args[1]);
  return subtracted.kind == expr_kind::name && subtracted.text == m.text ? &d.args[0] : nullptr;
}

// The ways in which a value depends on m.
enum class share : uint8_t {
  zero,   // it is 0, which has any factor
  free,   // not at all
  scaled, // exp(-m) is a factor of it, once
  other,
};

class reader {
public:
  reader(const stmt& loop, const expr& m)
      : loop_(loop), m_(m), changed_(assigned(loop.body)), inside_(declared(loop.body)) {}

  result<scaled_sums> read() {
    // Locals take their share from all that they are given; until nothing new is learnt.
    for (auto before = locals_;; before = locals_) {
      out_ = {};
      free_sums_.clear();
      std::vector<stmt> around;
      statements(loop_.body, around);
      if (!trouble_.empty())
        return fail(errc::unsupported, trouble_);
      if (locals_ == before)
        break;
    }
    if (out_.exponents.empty() || (out_.scalars.empty() && out_.elements.empty()))
      return fail(errc::unsupported, loop_.label + " sums nothing with a factor exp(… - " + m_.text + ")");
    for (const auto& s : out_.scalars)
      check_alone(s.text);
    for (const auto& e : out_.elements)
      check_alone(root_of(e.target));
    if (!trouble_.empty())
      return fail(errc::unsupported, trouble_);
    return std::move(out_);
  }

private:
  void refuse(std::string reason) {
    if (trouble_.empty())
      trouble_ = std::move(reason);
  }
  // Where all values are -inf the terms are NaN, and the last block's are to tell.
  void under_condition() { refuse(loop_.label + " sums under a condition"); }
  void misused() { refuse(loop_.label + " uses " + m_.text + " for more than the factor of its sums"); }

  static share joined(share a, share b) { return a == b || b == share::zero ? a : a == share::zero ? b : share::other; }
  static bool is_plain(share s) { return s == share::free || s == share::zero; }

  share all_plain(const expr& e) {
    bool plain = true;
    for (const auto& a : e.args)
      plain = is_plain(of(a)) && plain;
    return plain ? share::free : share::other;
  }

  share of(const expr& e) {
    if (const auto* g = exponent_of(e, m_)) {
      if (!is_plain(of(*g)))
        return share::other;
      out_.exponents.push_back(*g);
      out_.exponential = e;
      return share::scaled;
    }
    switch (e.kind) {
      case expr_kind::literal:
        return is_zero(e) ? share::zero : share::free;
      case expr_kind::name: {
        if (e.text == m_.text)
          return share::other;
        const auto it = locals_.find(e.text);
        return it == locals_.end() ? share::free : it->second;
      }
      case expr_kind::cast: {
        const auto s = of(e.args[0]);
        return s == share::scaled && !is_float(e.type.base) ? share::other : s;
      }
      case expr_kind::unary:
        return e.text == "-" ? of(e.args[0]) : all_plain(e);
      case expr_kind::binary: {
        if (e.text != "+" && e.text != "-" && e.text != "*" && e.text != "/")
          return all_plain(e);
        const auto a = of(e.args[0]);
        const auto b = of(e.args[1]);
        if (e.text == "+" || e.text == "-")
          return joined(a, b);
        if (a == share::other || b == share::other)
          return share::other;
        if (e.text == "/")
          return is_plain(b) ? a : share::other;
        if (a == share::scaled && b == share::scaled) {
          refuse("a term of " + loop_.label + " has two factors that depend on " + m_.text);
          return share::other;
        }
        return std::max(a, b); // 0 * exp(-m) can be NaN
      }
      case expr_kind::conditional: {
        const bool plain = is_plain(of(e.args[0]));
        const auto a = of(e.args[1]);
        const auto b = of(e.args[2]);
        return !plain ? share::other : a == b ? a : is_plain(a) && is_plain(b) ? share::free : share::other;
      }
      case expr_kind::opaque:
        return share::other;
      default:
        return all_plain(e);
    }
  }

  void give(const std::string& local, const ctype& type, share s) {
    const auto it = locals_.find(local);
    s = it == locals_.end() ? s : joined(it->second, s);
    if (s == share::other || (s == share::scaled && (!is_float(type.base) || !type.suffix.empty())))
      return misused();
    if (s == share::scaled && sometimes_)
      return under_condition();
    locals_[local] = s;
  }

  void assign(const stmt& s, const std::vector<stmt>& around) {
    if (s.target.kind != expr_kind::name)
      return store(s, around);
    const auto& name = s.target.text;
    if (inside_.count(name) != 0) {
      const auto v = of(s.value);
      if (s.op == "*=" || s.op == "/=")
        return is_plain(v) ? void() : misused();
      if (s.op == "=" || s.op == "+=" || s.op == "-=")
        return give(name, s.target.type, v);
      return is_plain(v) && is_plain(of(s.target)) ? void() : misused();
    }
    if (reduction_op(s, name) == "add") {
      const auto& v = bare(s.value);
      const bool left = s.op == "=" && bare(v.args[0]).kind == expr_kind::name && bare(v.args[0]).text == name;
      const auto term = of(s.op != "=" ? s.value : v.args[left ? 1 : 0]);
      if (term == share::other || (term == share::scaled && !is_float(s.target.type.base)))
        return misused();
      if (term == share::scaled && sometimes_)
        return under_condition();
      const auto known =
          std::find_if(out_.scalars.begin(), out_.scalars.end(), [&](const expr& x) { return x.text == name; });
      if (term == share::scaled && known == out_.scalars.end())
        out_.scalars.push_back(s.target);
      if (term == share::free)
        free_sums_.insert(name);
      return;
    }
    if (!is_plain(of(s.value)))
      return misused();
    free_sums_.insert(name);
  }

  void store(const stmt& s, const std::vector<stmt>& around) {
    if (s.target.kind != expr_kind::subscript)
      return misused();
    if (!is_plain(all_plain(s.target)))
      return misused();
    const auto v = of(s.value);
    if (is_plain(v))
      return;
    if (v == share::other)
      return misused();
    const auto array = root_of(s.target);
    if (s.op != "+=" && s.op != "-=")
      return refuse(loop_.label + " stores to " + array + " what depends on " + m_.text);
    if (!is_float(s.target.type.base) || s.target.args[0].kind != expr_kind::name || inside_.count(array) != 0)
      return refuse(loop_.label + " sums in " + array + ", which is no array of floating values around it");
    if (sometimes_)
      return under_condition();
    if (!stays(s.target.args[1], around))
      return refuse("where " + loop_.label + " sums in " + array + " differs from one iteration to the next");
    out_.elements.push_back({s.target, around});
  }

  // Returns true if the expression follows from the loops around and from variables that are the same in all
  // iterations.
  bool stays(const expr& whole, const std::vector<stmt>& around) const {
    bool ok = is_speculable(whole);
    walk(whole, [&](const expr& e) {
      const bool index = std::any_of(around.begin(), around.end(), [&](const stmt& l) { return l.name == e.text; });
      ok = ok
           && (e.kind != expr_kind::name || index
               || (e.text != loop_.name && changed_.count(e.text) == 0 && inside_.count(e.text) == 0));
    });
    return ok;
  }

  void statements(const list& body, std::vector<stmt>& around) {
    for (const auto& s : body) {
      switch (s.kind) {
        case stmt_kind::declare:
          if (s.has_value)
            give(s.name, s.type, of(s.value));
          break;
        case stmt_kind::assign:
          assign(s, around);
          break;
        case stmt_kind::loop: {
          if (!is_plain(of(s.from)) || !is_plain(of(s.to)))
            misused();
          const bool before =
              std::exchange(sometimes_, sometimes_ || s.lanes > 1 || !stays(s.from, around) || !stays(s.to, around));
          auto frame = s;
          frame.body.clear();
          frame.pragmas.clear();
          around.push_back(std::move(frame));
          statements(s.body, around);
          around.pop_back();
          sometimes_ = before;
          break;
        }
        case stmt_kind::branch:
        case stmt_kind::while_loop:
        case stmt_kind::evaluate:
        case stmt_kind::block: {
          if (s.kind != stmt_kind::block && !is_plain(of(s.value)))
            misused();
          const bool before = std::exchange(sometimes_, sometimes_ || s.kind != stmt_kind::block);
          statements(s.body, around);
          statements(s.otherwise, around);
          sometimes_ = before;
          break;
        }
        case stmt_kind::break_out:
        case stmt_kind::next:
          break;
        default:
          refuse(loop_.label + " holds a construct left as it is");
      }
    }
  }

  // A sum is nothing but summed, and all of it scaled.
  void check_alone(const std::string& name) {
    if (free_sums_.count(name) != 0)
      return refuse(loop_.label + " adds to " + name + " what has no factor exp(… - " + m_.text + ")");
    size_t updates = 0;
    walk(loop_.body, [&](const stmt& s) {
      const bool updates_it = s.kind == stmt_kind::assign
                              && ((s.target.kind == expr_kind::name && s.target.text == name)
                                  || (s.target.kind == expr_kind::subscript && root_of(s.target) == name));
      bool read = false;
      for_each_expr(s, [&](const expr& e) {
        if (!updates_it || s.target.kind != expr_kind::name)
          read = read || (mentions(e, name) && !(updates_it && &e == &s.target));
      });
      updates += updates_it && s.target.kind == expr_kind::subscript ? 1U : 0U;
      if (read)
        refuse(loop_.label + " reads " + name + " before all is summed");
    });
    if (updates > 1)
      refuse(loop_.label + " writes " + name + " in several places");
  }

  const stmt& loop_;
  const expr& m_;
  std::set<std::string> changed_;
  std::set<std::string> inside_;
  bool sometimes_ = false; // what is being read may run in some iterations only
  std::map<std::string, share> locals_;
  std::set<std::string> free_sums_;
  scaled_sums out_;
  std::string trouble_;
};

} // namespace

bool equal(const expr& a, const expr& b) {
  const auto& x = bare(a);
  const auto& y = bare(b);
  if (x.kind != y.kind || x.args.size() != y.args.size() || x.type.base != y.type.base)
    return false;
  if (x.kind == expr_kind::subscript) {
    const auto i = to_polynomial(x.args[1]);
    const auto j = to_polynomial(y.args[1]);
    if (i && j && *i == *j)
      return equal(x.args[0], y.args[0]);
  }
  if (x.text != y.text)
    return false;
  for (size_t i = 0; i < x.args.size(); ++i)
    if (!equal(x.args[i], y.args[i]))
      return false;
  return true;
}

namespace {

// Returns true if this is the nest of loops around the element, with `element = 0` for its body.
bool sets_to_zero(const stmt& nest, const scaled_sums::element& e) {
  const stmt* at = &nest;
  auto target = e.target;
  for (const auto& l : e.loops) {
    for (const auto& outer : e.loops) // its name may be another one on the other side
      if (mentions(l.from, outer.name) || mentions(l.to, outer.name))
        return false;
    if (at->kind != stmt_kind::loop || !same(at->from, l.from) || !same(at->to, l.to) || at->step != l.step
        || at->lanes > 1 || at->body.size() != 1)
      return false;
    substitute(target, l.name, make_name(at->name, at->type));
    at = &at->body[0];
  }
  return at->kind == stmt_kind::assign && at->op == "=" && equal(at->target, target) && is_zero(at->value);
}

// Returns true if the element is 0 after the statements, as far as they show it.
bool is_zero_after(const std::vector<stmt>& before, const scaled_sums::element& e) {
  const auto array = root_of(e.target);
  std::set<std::string> since; // what may have moved
  for (auto s = before.rbegin(); s != before.rend(); ++s) {
    if (mentions(*s, array) && s->kind != stmt_kind::declare) {
      const bool moved = std::any_of(since.begin(), since.end(), [&](const std::string& n) {
        return mentions(e.target, n) || std::any_of(e.loops.begin(), e.loops.end(), [&](const stmt& l) {
                 return mentions(l.from, n) || mentions(l.to, n);
               });
      });
      return !moved && sets_to_zero(*s, e);
    }
    if (leaves_early({*s}))
      return false;
    for (const auto& names : {assigned({*s}), declared({*s})})
      since.insert(names.begin(), names.end());
  }
  return false;
}

} // namespace

std::string why_not_zero(const program& p, const std::vector<stmt>& before, const scaled_sums& sums,
                         const environment& env) {
  for (const auto& e : sums.elements) {
    const auto array = root_of(e.target);
    if (!keeps_apart(p, array, env) || !is_only_indexed(p.body, array))
      return array + " does not stand alone";
    for (const auto& l : e.loops)
      if (!facts_of(env, l.label).independent)
        return l.label + " carries a dependence: " + facts_of(env, l.label).reason;
    if (!is_zero_after(before, e))
      return "the sums in " + array + " may begin with something else than 0";
  }
  return {};
}

result<scaled_sums> scaled_sums_of(const stmt& loop, const expr& m) {
  return reader{loop, m}.read();
}

} // namespace kevolve::transform
