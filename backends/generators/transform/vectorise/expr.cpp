#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/vectorise/speculated.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

namespace kevolve::transform {

namespace {

// Returns the elementwise helper that stands for a libm call: expf → exp. Empty: none.
std::string elementwise_name(const std::string& function) {
  static constexpr std::array<std::string_view, 19> names{"exp",   "log",  "tanh",  "sqrt",  "fabs", "fmax", "fmin",
                                                          "floor", "ceil", "erf",   "fma",   "sin",  "cos",  "log2",
                                                          "exp2",  "pow",  "trunc", "round", "rint"};
  std::string_view n = function;
  if (n.substr(0, 10) == "__builtin_")
    n.remove_prefix(10);
  for (auto stem : names)
    if (n == stem || (n.size() == stem.size() + 1 && n.back() == 'f' && n.substr(0, stem.size()) == stem))
      return std::string{stem == "fmax" ? "max" : stem == "fmin" ? "min" : stem == "fabs" ? "abs" : stem};
  return {};
}

} // namespace

bool vectoriser::varies(const expr& e) const {
  bool v = false;
  walk(e, [&](const expr& x) {
    v = v || (x.kind == expr_kind::name && (x.text == loop_.name || varying_.count(x.text) != 0));
  });
  return v;
}

expr vectoriser::value(const expr& e, scalar_kind k) {
  if (!varies(e))
    return splat(e, k);
  auto v = vector(e);
  return convert(std::move(v), k);
}

std::optional<int64_t> vectoriser::distance(const expr& index) {
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

expr vectoriser::lane(expr e, int64_t i) const {
  if (i > 0)
    substitute(e, loop_.name, make_binary("+", make_name(loop_.name, loop_.type), make_literal(i * loop_.step)));
  return e;
}

bool vectoriser::runs_backwards(const std::optional<int64_t>& step) const {
  return step && *step * loop_.step == -1 && !left_;
}

expr vectoriser::reversed(expr v) {
  auto t = v.type;
  return make_expr(expr_kind::elementwise, t, {std::move(v)}, "reverse");
}

expr vectoriser::load(const expr& e) {
  if (e.type.lanes > 1)
    throw refusal{root_of(e) + " holds vectors already"};
  bool array = !root_of(e).empty() && varying_.count(root_of(e)) != 0;
  if (!array && e.args[0].kind == expr_kind::subscript && varies(e.args[0]))
    throw refusal{"rows of " + root_of(e) + " depend on " + loop_.name};
  if (array) { // an array of vectors
    for (const auto* at = &e; at->kind == expr_kind::subscript; at = &at->args[0])
      if (varies(at->args[1]))
        throw refusal{"which element of " + root_of(e) + " depends on " + loop_.name};
    auto out = e;
    out.type = vector_of(e.type.base);
    return out;
  }
  auto step = distance(e.args[1]);
  if (step && *step * loop_.step == 1)
    return left_ ? make_expr(expr_kind::vector_load, vector_of(e.type.base), {e, *left_})
                 : make_expr(expr_kind::vector_load, vector_of(e.type.base), {e});
  if (runs_backwards(step))
    return reversed(make_expr(expr_kind::vector_load, vector_of(e.type.base), {lane(e, lanes_ - 1)}));
  bool own = false;
  walk(e.args[1], [&](const expr& x) { own = own || (x.kind == expr_kind::name && varying_.count(x.text) != 0); });
  if (!own) { // one scalar load per lane
    std::vector<expr> parts;
    parts.reserve(lanes_);
    for (int64_t i = 0; i < lanes_; ++i) {
      auto one = lane(e, i);
      if (i > 0 && left_)
        one = make_expr(expr_kind::conditional, e.type,
                        {make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {make_literal(i), *left_}, "<"),
                         std::move(one), make_literal(0, e.type.base)});
      const bool narrow = i > 0 && left_ && is_integer(e.type.base) && bits(e.type.base) < 32; // a choice is an int
      parts.push_back(narrow ? make_expr(expr_kind::cast, scalar_type(e.type.base), {std::move(one)}) : std::move(one));
    }
    return make_expr(expr_kind::compose, vector_of(e.type.base), std::move(parts));
  }
  if (left_)
    throw refusal{"a gather by fewer lanes than there are"};
  auto index = vector(e.args[1]);
  if (index.type.is_mask)
    throw refusal{"a comparison used as a subscript"};
  return make_expr(expr_kind::gather, vector_of(e.type.base), {e.args[0], std::move(index)});
}

expr vectoriser::condition(const expr& e) { // as a mask
  const auto& c = bare(e);
  if (c.kind == expr_kind::binary && (c.text == "&&" || c.text == "||")) {
    auto a = condition(c.args[0]);
    auto b = condition(harmless(c.args[1], c.args[0]));
    if (!safe_beside(c.args[1], c.args[0]))
      throw refusal{"a guarded load or division"};
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

namespace {

// Returns the type of both sides before C promotes them: bytes compare as bytes, four times as many at once.
scalar_kind compared_as(const expr& e) {
  const auto promoted = e.args[0].type.base;
  const auto own = [](const expr& x) { return bare(x).type.base; };
  const auto fits = [](const expr& x, scalar_kind k) {
    const auto n = literal_value(x);
    const int64_t end = int64_t{1} << (bits(k) - (is_unsigned(k) ? 0 : 1));
    return n && *n < end && *n >= (is_unsigned(k) ? 0 : -end);
  };
  for (const auto& x : e.args) {
    const auto k = own(x);
    // A value converted to an unsigned type may be large there.
    const bool keeps = is_integer(promoted) && (!is_unsigned(promoted) || is_unsigned(k));
    const bool is_small = is_integer(k) && bits(k) < 32 && keeps && bare(x).type.lanes == 1;
    if (is_small && std::all_of(e.args.begin(), e.args.end(), [&](const expr& y) { return own(y) == k || fits(y, k); }))
      return k;
  }
  return promoted;
}

} // namespace

expr vectoriser::vector(const expr& e) {
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
    case expr_kind::bits:
      return make_expr(expr_kind::bits, vector_of(e.type.base), {value(e.args[0], e.args[0].type.base)}, e.text);
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
        if (e.args[0].type.depth != 0)
          throw refusal{"pointers are compared"};
        if ((e.text == "!=" || e.text == "==") && is_truth(e.args[0]) && is_truth(e.args[1]) && varies(e.args[0])
            && varies(e.args[1])) { // whether both hold, or neither
          auto a = condition(e.args[0]);
          auto b = widen(condition(e.args[1]), a.type.base);
          const auto t = a.type;
          auto differ = make_expr(expr_kind::binary, t, {std::move(a), std::move(b)}, "^");
          return e.text == "!=" ? differ : make_expr(expr_kind::unary, t, {std::move(differ)}, "~");
        }
        const auto k = compared_as(e);
        const auto side = [&](const expr& x) { return k == x.type.base ? value(x, k) : value(bare(x), k); };
        return make_expr(expr_kind::binary, mask_of(k), {side(e.args[0]), side(e.args[1])}, e.text);
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
      if (!varies(e.args[0])) { // one arm alone is evaluated, in all lanes
        auto yes = value(e.args[1], k);
        auto no = value(e.args[2], k);
        return make_expr(expr_kind::conditional, vector_of(k), {e.args[0], std::move(yes), std::move(no)});
      }
      // Both arms are evaluated: they must be harmless, or read what the condition reads anyway.
      for (size_t i = 1; i < 3; ++i)
        if (!safe_beside(e.args[i], e.args[0]))
          throw refusal{"a guarded load in '" + print(e.args[i]) + "'"};
      auto yes = value(harmless(e.args[1], e.args[0]), k);
      auto no = value(harmless(e.args[2], e.args[0]), k);
      return choose(condition(e.args[0]), std::move(yes), std::move(no));
    }
    case expr_kind::call:
    case expr_kind::elementwise: {
      if (e.text == "__builtin_unpredictable") // a hint for branches, of which there are none now
        return condition(e.args[0]);
      auto name = e.kind != expr_kind::call ? e.text : e.computes ? std::string{} : elementwise_name(e.text);
      if (name.empty() || !is_float(e.type.base))
        throw refusal{"no vector form of " + e.text};
      std::vector<expr> args;
      args.reserve(e.args.size());
      for (const auto& a : e.args)
        args.push_back(value(a, e.type.base));
      return make_expr(expr_kind::elementwise, vector_of(e.type.base), std::move(args), name);
    }
    default:
      throw refusal{"no vector form of '" + print(e) + "'"};
  }
}

bool vectoriser::safe_beside(const expr& e, const expr& beside) {
  bool ok = true;
  std::function<void(const expr&)> look = [&](const expr& x) {
    if (x.kind == expr_kind::subscript) {
      bool there = false;
      walk(beside, [&](const expr& y) { there = there || same(x, y); });
      bool moves = false; // by a count that a lane which has left a while holds at its end, outside
      walk(x.args[1], [&](const expr& y) {
        moves = moves || (y.kind == expr_kind::name && (varying_.count(y.text) != 0 || own_ends_.count(y.text) != 0));
      });
      ok = ok && (there || loaded_.count(print(x)) != 0 || (!moves && within_.count(print(x)) != 0));
      return;
    }
    const bool divides = x.kind == expr_kind::binary && (x.text == "/" || x.text == "%") && is_integer(x.type.base)
                         && literal_value(x.args[1]).value_or(0) == 0;
    ok = ok && !divides && x.kind != expr_kind::opaque && x.kind != expr_kind::member
         && (x.kind != expr_kind::call || is_pure_call(x) || x.text == "__builtin_unpredictable");
    for (const auto& a : x.args)
      look(a);
  };
  look(e);
  return ok;
}

void vectoriser::forget(const std::set<std::string>& changed) {
  std::erase_if(loaded_, [&](const std::string& element) {
    const auto index = element.substr(element.find('[') + 1);
    return std::any_of(changed.begin(), changed.end(),
                       [&](const std::string& name) { return replace_identifier(index, name, "") != index; });
  });
}

void vectoriser::forget_changed(const std::vector<stmt>& body) {
  auto changed = assigned(body);
  walk(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::assign && s.target.kind == expr_kind::subscript)
      changed.insert(root_of(s.target));
    if (s.kind == stmt_kind::declare || s.kind == stmt_kind::loop)
      changed.insert(s.name);
  });
  changed.erase(std::string{});
  forget(changed);
}

// Not what stands behind a condition: that may be read in no iteration.
void vectoriser::remember_loads(const expr& e) {
  if (e.kind == expr_kind::subscript)
    loaded_.insert(print(e));
  const bool guards =
      e.kind == expr_kind::conditional || (e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"));
  for (size_t i = 0; i < (guards ? 1 : e.args.size()); ++i)
    remember_loads(e.args[i]);
}

} // namespace kevolve::transform
