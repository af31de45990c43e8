// Vectorises a loop at any depth: `lanes` iterations side by side in vector values; what does not depend on the
// iteration stays scalar, inner loops with common bounds stay loops, and conditions become masks.
#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/moves.hpp"
#include "backends/generators/transform/polynomial.hpp"
#include "backends/generators/transform/print.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

struct refusal {
  std::string reason;
};

const expr& bare(const expr& e) {
  return e.kind == expr_kind::cast && e.implicit ? bare(e.args[0]) : e;
}

// The elementwise helper that stands for a libm call: expf → exp. Empty: none.
std::string elementwise_name(const std::string& function) {
  static constexpr std::array<std::string_view, 17> names{"exp",  "log",   "tanh", "sqrt", "fabs", "fmax",
                                                          "fmin", "floor", "ceil", "erf",  "fma",  "sin",
                                                          "cos",  "log2",  "exp2", "pow",  "trunc"};
  std::string_view n = function;
  if (n.substr(0, 10) == "__builtin_")
    n.remove_prefix(10);
  for (auto stem : names)
    if (n == stem || (n.size() == stem.size() + 1 && n.back() == 'f' && n.substr(0, stem.size()) == stem))
      return std::string{stem == "fmax" ? "max" : stem == "fmin" ? "min" : stem == "fabs" ? "abs" : stem};
  return {};
}

class vectoriser {
public:
  vectoriser(const stmt& loop, uint16_t lanes, const std::set<std::string>& accumulators)
      : loop_(loop), lanes_(lanes), varying_(accumulators) {
    // A variable is varying if it is ever given a varying value, or a value under a varying condition.
    auto inside = declared(loop.body);
    for (bool grew = true; grew;) {
      grew = false;
      grow(loop.body, false, inside, grew);
    }
  }

  list run() {
    list out;
    for (const auto& s : loop_.body)
      statement(s, nullptr, out);
    return out;
  }

private:
  bool varies(const expr& e) const {
    bool v = false;
    walk(e, [&](const expr& x) {
      v = v || (x.kind == expr_kind::name && (x.text == loop_.name || varying_.count(x.text) != 0));
    });
    return v;
  }

  void grow(const list& body, bool masked, const std::set<std::string>& inside, bool& grew) {
    for (const auto& s : body) {
      const std::string* name = nullptr;
      if (s.kind == stmt_kind::declare && s.has_value)
        name = &s.name;
      if (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name)
        name = &s.target.text;
      if (name != nullptr && varying_.count(*name) == 0
          && (varies(s.value) || (masked && s.kind == stmt_kind::assign && inside.count(*name) != 0))) {
        varying_.insert(*name);
        grew = true;
      }
      bool inner = masked || (s.kind == stmt_kind::branch && varies(s.value));
      grow(s.body, inner, inside, grew);
      grow(s.otherwise, inner, inside, grew);
    }
  }

  ctype vector_of(scalar_kind k) const {
    if (k == scalar_kind::none || k == scalar_kind::boolean)
      throw refusal{"a value of a type without vectors"};
    auto t = scalar_type(k);
    t.lanes = lanes_;
    return t;
  }
  ctype mask_of(scalar_kind k) const {
    auto t = vector_of(mask_kind(k));
    t.is_mask = true;
    return t;
  }

  expr convert(expr v, scalar_kind to) const {
    if (v.type.is_mask) { // a comparison as a number is 0 or 1
      auto t = v.type;
      t.is_mask = false;
      v = make_expr(expr_kind::binary, t, {std::move(v), splat(make_literal(1, t.base), t.base)}, "&");
    }
    if (v.type.base == to)
      return v;
    return make_expr(expr_kind::convert, vector_of(to), {std::move(v)});
  }

  expr splat(expr scalar, scalar_kind k) const {
    return make_expr(expr_kind::splat, vector_of(k), {std::move(scalar)});
  }

  // The vector of e's values over the lanes, of element type k.
  expr value(const expr& e, scalar_kind k) {
    if (!varies(e))
      return splat(e, k);
    auto v = vector(e);
    return convert(std::move(v), k);
  }

  // How a subscript moves from lane to lane: its element distance, if that is fixed.
  std::optional<int64_t> distance(const expr& index) {
    bool atoms_vary = false;
    auto p = to_polynomial(index, [&](const expr& atom) { atoms_vary = atoms_vary || varies(atom); });
    if (!p || atoms_vary)
      return {};
    for (const auto& n : p->names())
      if (n != loop_.name && varying_.count(n) != 0)
        return {};
    auto parts = p->linear_in(loop_.name);
    return parts ? parts->first.constant() : std::nullopt;
  }

  expr lane(expr e, int64_t i) const {
    if (i > 0)
      substitute(e, loop_.name, make_binary("+", make_name(loop_.name, loop_.type), make_literal(i * loop_.step)));
    return e;
  }

  expr load(const expr& e) {
    if (e.args[0].kind == expr_kind::subscript && varies(e.args[0]))
      throw refusal{"rows of " + root_of(e) + " depend on " + loop_.name};
    bool array = !root_of(e).empty() && varying_.count(root_of(e)) != 0;
    if (array) { // an array of vectors
      auto out = e;
      out.type = vector_of(e.type.base);
      return out;
    }
    auto step = distance(e.args[1]);
    if (step && *step * loop_.step == 1)
      return make_expr(expr_kind::vector_load, vector_of(e.type.base), {e});
    bool own = false;
    walk(e.args[1], [&](const expr& x) { own = own || (x.kind == expr_kind::name && varying_.count(x.text) != 0); });
    if (!own) { // one scalar load per lane
      std::vector<expr> parts;
      for (int64_t i = 0; i < lanes_; ++i)
        parts.push_back(lane(e, i));
      return make_expr(expr_kind::compose, vector_of(e.type.base), std::move(parts));
    }
    auto index = vector(e.args[1]);
    if (index.type.is_mask)
      throw refusal{"a comparison used as a subscript"};
    return make_expr(expr_kind::gather, vector_of(e.type.base), {e.args[0], std::move(index)});
  }

  expr condition(const expr& e) { // as a mask
    const auto& c = bare(e);
    if (c.kind == expr_kind::binary && (c.text == "&&" || c.text == "||")) {
      auto a = condition(c.args[0]);
      auto b = condition(c.args[1]);
      if (!is_speculable(c.args[1]))
        throw refusal{"a guarded load"};
      if (a.type.base != b.type.base)
        b = widen(b, a.type.base);
      auto t = a.type;
      return make_expr(expr_kind::binary, t, {std::move(a), std::move(b)}, c.text == "&&" ? "&" : "|");
    }
    if (c.kind == expr_kind::unary && c.text == "!") {
      auto a = condition(c.args[0]);
      auto t = a.type;
      return make_expr(expr_kind::unary, t, {std::move(a)}, "~");
    }
    if (!varies(c)) {
      auto zero_or_one = make_expr(expr_kind::conditional, scalar_type(scalar_kind::i32),
                                   {c, make_unary("-", make_literal(1)), make_literal(0)});
      auto m = splat(zero_or_one, scalar_kind::i32);
      m.type.is_mask = true;
      return m;
    }
    auto v = vector(c);
    if (v.type.is_mask)
      return v;
    auto t = mask_of(v.type.base);
    auto zero = splat(make_literal(0, v.type.base), v.type.base);
    return make_expr(expr_kind::binary, t, {std::move(v), std::move(zero)}, "!=");
  }

  expr widen(expr mask, scalar_kind to) const {
    if (mask.type.base == mask_kind(to))
      return mask;
    return make_expr(expr_kind::convert, mask_of(to), {std::move(mask)});
  }

  expr choose(const expr& mask, expr yes, expr no) const {
    auto t = yes.type;
    return make_expr(expr_kind::blend, t, {widen(mask, t.base), std::move(yes), std::move(no)});
  }

  // A varying expression as a vector of its own type (comparisons: as a mask).
  expr vector(const expr& e) {
    switch (e.kind) {
      case expr_kind::name:
        if (e.text == loop_.name)
          return make_expr(expr_kind::ramp, vector_of(e.type.base), {e});
        if (e.type.depth != 0 || !e.type.suffix.empty())
          throw refusal{e.text + " is no scalar"};
        return make_name(e.text, vector_of(e.type.base));
      case expr_kind::subscript:
        return load(e);
      case expr_kind::cast:
        return value(e.args[0], e.type.base);
      case expr_kind::unary: {
        if (e.text == "!")
          return condition(e);
        auto a = value(e.args[0], e.type.base);
        auto t = a.type;
        return make_expr(expr_kind::unary, t, {std::move(a)}, e.text);
      }
      case expr_kind::binary: {
        static constexpr std::array<std::string_view, 6> comparisons{"<", ">", "<=", ">=", "==", "!="};
        if (std::find(comparisons.begin(), comparisons.end(), e.text) != comparisons.end()) {
          auto k = e.args[0].type.base;
          if (e.args[0].type.depth != 0)
            throw refusal{"pointers are compared"};
          return make_expr(expr_kind::binary, mask_of(k), {value(e.args[0], k), value(e.args[1], k)}, e.text);
        }
        if (e.text == "&&" || e.text == "||")
          return condition(e);
        if ((e.text == "/" || e.text == "%") && is_integer(e.type.base) && varies(e.args[1]))
          throw refusal{"a division by something that varies"};
        auto k = e.type.base;
        return make_expr(expr_kind::binary, vector_of(k), {value(e.args[0], k), value(e.args[1], k)}, e.text);
      }
      case expr_kind::conditional: {
        auto k = e.type.base;
        // Both arms are evaluated: they must be harmless, or read what the condition reads anyway.
        for (size_t i = 1; i < 3; ++i)
          if (!safe_beside(e.args[i], e.args[0]))
            throw refusal{"a guarded load in '" + print(e.args[i]) + "'"};
        auto yes = value(e.args[1], k);
        auto no = value(e.args[2], k);
        if (!varies(e.args[0]))
          throw refusal{"a fixed condition inside an expression"};
        return choose(condition(e.args[0]), std::move(yes), std::move(no));
      }
      case expr_kind::call:
      case expr_kind::elementwise: {
        if (e.text == "__builtin_unpredictable") // a hint for branches, of which there are none now
          return condition(e.args[0]);
        auto name = e.kind == expr_kind::call ? elementwise_name(e.text) : e.text;
        if (name.empty() || !is_float(e.type.base))
          throw refusal{"no vector form of " + e.text};
        std::vector<expr> args;
        for (const auto& a : e.args)
          args.push_back(value(a, e.type.base));
        return make_expr(expr_kind::elementwise, vector_of(e.type.base), std::move(args), name);
      }
      default:
        throw refusal{"no vector form of '" + print(e) + "'"};
    }
  }

  // Loads of e that are not also in `beside` would be new.
  bool safe_beside(const expr& e, const expr& beside) {
    bool ok = true;
    std::function<void(const expr&)> look = [&](const expr& x) {
      if (x.kind == expr_kind::subscript) {
        bool there = false;
        walk(beside, [&](const expr& y) { there = there || same(x, y); });
        ok = ok && (there || loaded_.count(print(x)) != 0);
        return;
      }
      ok = ok && x.kind != expr_kind::opaque && x.kind != expr_kind::member
           && (x.kind != expr_kind::call || is_pure_function(x.text) || x.text == "__builtin_unpredictable");
      for (const auto& a : x.args)
        look(a);
    };
    look(e);
    return ok;
  }

  void remember_loads(const expr& e) {
    walk(e, [&](const expr& x) {
      if (x.kind == expr_kind::subscript)
        loaded_.insert(print(x));
    });
  }

  void store(const stmt& s, const expr* mask, list& out) {
    if (!varies(s.target.args[0]) && !root_of(s.target).empty() && varying_.count(root_of(s.target)) != 0)
      throw refusal{"an array of the iteration's own"};
    auto step = distance(s.target.args[1]);
    if (!step || *step * loop_.step != 1)
      throw refusal{"stores to " + root_of(s.target) + " are not side by side"};
    auto k = s.target.type.base;
    auto old = make_expr(expr_kind::vector_load, vector_of(k), {s.target});
    auto v = value(s.value, k);
    if (s.op != "=")
      v = make_expr(expr_kind::binary, vector_of(k), {old, std::move(v)}, s.op.substr(0, s.op.size() - 1));
    if (mask != nullptr) {
      // Writing back what was there is the same to everyone, provided that reading it is allowed: only where
      // this very element is touched in every iteration.
      if (loaded_.count(print(s.target)) == 0)
        throw refusal{"a guarded store to " + root_of(s.target)};
      v = choose(*mask, std::move(v), old);
    }
    stmt r;
    r.kind = stmt_kind::vector_store;
    r.target = s.target;
    r.value = std::move(v);
    out.push_back(std::move(r));
    if (mask == nullptr)
      loaded_.insert(print(s.target));
  }

  void assign(const stmt& s, const expr* mask, list& out) {
    if (s.target.kind != expr_kind::name)
      return store(s, mask, out);
    if (varying_.count(s.target.text) == 0) {
      out.push_back(s);
      return;
    }
    auto t = vector_of(s.target.type.base);
    auto target = make_name(s.target.text, t);
    auto v = value(s.value, t.base);
    auto op = s.op;
    if (mask != nullptr) {
      if (op != "=")
        v = make_expr(expr_kind::binary, t, {target, std::move(v)}, op.substr(0, op.size() - 1));
      op = "=";
      v = choose(*mask, std::move(v), target);
    }
    out.push_back(make_assign(target, op, std::move(v)));
  }

  void statement(const stmt& s, const expr* mask, list& out) {
    if (mask != nullptr && s.kind != stmt_kind::assign && s.kind != stmt_kind::branch && s.kind != stmt_kind::declare)
      throw refusal{"a loop or a call under a condition that varies"};
    if (mask != nullptr && !safe_beside(s.value, s.value.kind == expr_kind::literal ? s.value : make_literal(0)))
      throw refusal{"a guarded load in '" + print(s.value) + "'"};
    switch (s.kind) {
      case stmt_kind::declare: {
        if (varying_.count(s.name) == 0) {
          out.push_back(s);
          break;
        }
        if (!s.type.suffix.empty() || s.type.depth != 0)
          throw refusal{s.name + " is no scalar"};
        auto d = s;
        d.type = vector_of(s.type.base);
        if (d.has_value) {
          d.value = value(s.value, s.type.base);
          if (mask == nullptr)
            remember_loads(s.value);
        }
        out.push_back(std::move(d));
        break;
      }
      case stmt_kind::assign:
        assign(s, mask, out);
        if (mask == nullptr)
          remember_loads(s.value);
        break;
      case stmt_kind::branch: {
        if (mask == nullptr)
          remember_loads(s.value);
        if (!varies(s.value)) {
          if (mask != nullptr)
            throw refusal{"a branch under a condition that varies"};
          auto b = s;
          b.body.clear();
          b.otherwise.clear();
          auto before = loaded_;
          for (const auto& x : s.body)
            statement(x, nullptr, b.body);
          loaded_ = before;
          for (const auto& x : s.otherwise)
            statement(x, nullptr, b.otherwise);
          loaded_ = before;
          out.push_back(std::move(b));
          break;
        }
        auto test = condition(s.value);
        auto name = "mask_" + s.label + (masks_ > 0 ? "_" + std::to_string(masks_) : "");
        ++masks_;
        out.push_back(make_declare(name, test.type, test));
        auto here = make_name(name, test.type);
        auto both = [&](expr m) {
          if (mask == nullptr)
            return m;
          auto t = m.type;
          return make_expr(expr_kind::binary, t, {std::move(m), widen(*mask, t.base)}, "&");
        };
        auto yes = both(here);
        for (const auto& x : s.body)
          statement(x, &yes, out);
        auto no = both(make_expr(expr_kind::unary, here.type, {here}, "~"));
        for (const auto& x : s.otherwise)
          statement(x, &no, out);
        break;
      }
      case stmt_kind::loop: {
        if (varies(s.from) || varies(s.to))
          throw refusal{"the bounds of " + s.label + " vary with " + loop_.name};
        if (s.lanes > 1)
          throw refusal{s.label + " is vectorised already"};
        auto l = s;
        l.body.clear();
        l.pragmas.clear();
        auto before = loaded_;
        for (const auto& x : s.body)
          statement(x, nullptr, l.body);
        loaded_ = before;
        out.push_back(std::move(l));
        break;
      }
      case stmt_kind::while_loop: {
        if (varies(s.value))
          throw refusal{"the condition of " + s.label + " varies with " + loop_.name};
        auto l = s;
        l.body.clear();
        auto before = loaded_;
        for (const auto& x : s.body)
          statement(x, nullptr, l.body);
        loaded_ = before;
        out.push_back(std::move(l));
        break;
      }
      default:
        throw refusal{"a statement that has no vector form"};
    }
  }

  const stmt& loop_;
  uint16_t lanes_;
  std::set<std::string> varying_;
  std::set<std::string> loaded_; // elements that every iteration touches
  int masks_ = 0;
};

} // namespace

result<void> vectorise(program& p, const std::string& loop, int64_t lanes, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool done = false;
  std::string reason = "no loop " + loop;
  for_each_labelled(p.body, loop, [&](list& where, size_t at) -> size_t {
    const auto l = where[at];
    if (l.kind != stmt_kind::loop || l.lanes > 1) {
      reason = loop + " is vectorised already";
      return 1;
    }
    if (l.step != 1) {
      reason = loop + " is unrolled already";
      return 1;
    }
    std::string why;
    auto carried = reductions(l, why);
    if (!carried) {
      reason = why;
      return 1;
    }
    std::set<std::string> accumulators;
    for (const auto& r : *carried) {
      if (r.op == "xor" || !may_reassociate(env, r.type.base) || r.type.lanes > 1) {
        reason = r.name + " cannot be split into lanes";
        return 1;
      }
      accumulators.insert(r.name);
    }
    try {
      auto parts = divide(l, lanes);
      if (!parts) {
        reason = parts.error().detail;
        return 1;
      }
      auto& main = (*parts)[0];
      main.body = vectoriser(l, static_cast<uint16_t>(lanes), accumulators).run();
      main.lanes = static_cast<uint16_t>(lanes);
      main.pragmas.clear();
      list out;
      list after;
      for (const auto& r : *carried) {
        auto type = scalar_type(r.type.base);
        type.lanes = main.lanes;
        auto name = fresh_name(p, r.name + "_lanes");
        rename(main.body, r.name, name);
        auto start = reduction_start(r);
        out.push_back(make_declare(name, type, make_expr(expr_kind::splat, type, {start})));
        after.push_back(
            reduction_join(r, make_expr(expr_kind::fold, scalar_type(r.type.base), {make_name(name, type)}, r.op)));
      }
      for (const auto& name : declared(main.body)) // masks
        if (std::find(p.taken.begin(), p.taken.end(), name) == p.taken.end())
          p.taken.push_back(name);
      out.push_back(std::move(main));
      std::move(after.begin(), after.end(), std::back_inserter(out));
      if (parts->size() > 1)
        out.push_back(std::move((*parts)[1]));
      auto n = out.size();
      where.erase(where.begin() + static_cast<ptrdiff_t>(at));
      where.insert(where.begin() + static_cast<ptrdiff_t>(at), std::make_move_iterator(out.begin()),
                   std::make_move_iterator(out.end()));
      done = true;
      return n;
    } catch (const refusal& r) {
      reason = r.reason;
      return 1;
    }
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

} // namespace kevolve::transform
