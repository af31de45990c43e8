#include "backends/generators/transform/frontend/call_value.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace kevolve::transform {

ctype plain(ctype t) {
  t.is_const = false;
  return t;
}

expr converted(expr e, const ctype& type) {
  if (e.kind == expr_kind::cast && e.implicit && e.type.base != bare(e.args[0]).type.base) {
    e.implicit = false;
    e.type = plain(e.type);
  }
  return e.type.base == type.base ? e : make_expr(expr_kind::cast, plain(type), {std::move(e)});
}

namespace {

constexpr size_t most_nodes = 200; // of what one call becomes
constexpr size_t most_twice = 40;  // of what is written down again at each use

size_t nodes(const expr& e) {
  size_t n = 0;
  walk(e, [&](const expr&) { ++n; });
  return n;
}

// Returns true if a second evaluation, or none, changes nothing and makes nothing expensive.
bool may_repeat(const expr& e) {
  bool ok = nodes(e) <= most_twice;
  walk(e, [&](const expr& x) { ok = ok && x.kind != expr_kind::call && x.kind != expr_kind::opaque; });
  return ok;
}

// Returns true for a name, a number or an element: these read as well twice.
bool is_short(const expr& e) {
  const auto& x = bare(e);
  return x.kind == expr_kind::name || x.kind == expr_kind::literal
         || (x.kind == expr_kind::subscript && may_repeat(x.args[1]));
}

// Follows the statements of one function's body with its parameters' values; lives for one call of it.
class call_value {
public:
  // `before`: takes variables for what is used several times; null where the call may not be reached.
  call_value(program& p, const expr& call, std::vector<stmt>* before) : p_(p), type_(call.type), before_(before) {}

  std::optional<expr> run(const std::vector<stmt>& parameters, std::vector<stmt> body) {
    body_ = std::move(body);
    flatten(body_);
    for (const auto& p : parameters)
      if (!keep(p.name, p.type, p.value, true))
        return std::nullopt;
    auto out = returned(body_, true);
    if (!out || nodes(*out) > most_nodes)
      return std::nullopt;
    if (before_ != nullptr)
      std::move(variables_.begin(), variables_.end(), std::back_inserter(*before_));
    return out;
  }

private:
  using list = std::vector<stmt>;

  std::optional<expr> returned(const list& body, bool certain) {
    for (size_t i = 0; i < body.size(); ++i) {
      const auto& s = body[i];
      if (s.kind == stmt_kind::return_value) {
        auto out = s.has_value ? filled(s.value) : std::nullopt;
        return out ? std::optional{converted(std::move(*out), type_)} : std::nullopt;
      }
      if (s.kind == stmt_kind::branch && !(assigns_alone(s.body) && assigns_alone(s.otherwise))) {
        const auto rest = body.begin() + static_cast<ptrdiff_t>(i) + 1;
        return either(s, list(rest, body.end()));
      }
      if (!step(s, certain))
        return std::nullopt;
    }
    return std::nullopt;
  }

  // Returns the value of the function if one of two arms ends it.
  std::optional<expr> either(const stmt& branch, const list& rest) {
    const auto after = [&](const list& arm) {
      auto out = arm;
      out.insert(out.end(), rest.begin(), rest.end());
      return out;
    };
    const auto test = filled(branch.value);
    const auto known = known_;
    auto yes = returned(after(branch.body), false);
    known_ = known;
    auto no = yes ? returned(after(branch.otherwise), false) : std::nullopt;
    if (!test || !no || nodes(*yes) + nodes(*no) > most_nodes)
      return std::nullopt;
    const auto type = plain(yes->type);
    return make_expr(expr_kind::conditional, type, {*test, converted(*yes, type), converted(*no, type)});
  }

  static bool assigns_alone(const list& body) {
    return std::all_of(body.begin(), body.end(), [](const stmt& s) {
      return s.kind == stmt_kind::assign
             || (s.kind == stmt_kind::branch && assigns_alone(s.body) && assigns_alone(s.otherwise));
    });
  }

  bool step(const stmt& s, bool certain) {
    switch (s.kind) {
      case stmt_kind::declare:
        if (s.is_static || s.type.depth != 0 || !s.type.suffix.empty())
          return false;
        return !s.has_value || keep(s.name, s.type, filled(s.value), certain);
      case stmt_kind::assign:
        return s.target.kind == expr_kind::name && keep(s.target.text, s.target.type, assigned_value(s), certain);
      case stmt_kind::branch:
        return merge(s, certain);
      case stmt_kind::evaluate:
        return take_bits(s.value, certain);
      default:
        return false;
    }
  }

  std::optional<expr> assigned_value(const stmt& s) const {
    if (s.op == "=")
      return filled(s.value);
    // x op= e computes in the type of both: narrower ones would be widened first.
    const auto op = s.op.substr(0, s.op.size() - 1);
    const auto k = s.target.type.base;
    const bool shifts = op == "<<" || op == ">>";
    if (bits(k) < 32 || (shifts ? !is_integer(s.value.type.base) : s.value.type.base != k))
      return std::nullopt;
    auto old = filled(s.target);
    auto more = filled(s.value);
    if (!old || !more)
      return std::nullopt;
    return make_expr(expr_kind::binary, scalar_type(k), {std::move(*old), std::move(*more)}, op);
  }

  // Merges two arms that only assign: each variable's value is chosen by the condition.
  bool merge(const stmt& s, bool certain) {
    const auto test = filled(s.value);
    if (!test)
      return false;
    const auto before = known_;
    const auto arm = [&](const list& body) {
      known_ = before;
      return std::all_of(body.begin(), body.end(), [&](const stmt& inner) { return step(inner, false); });
    };
    if (!arm(s.body))
      return false;
    const auto yes = known_;
    if (!arm(s.otherwise))
      return false;
    const auto no = std::exchange(known_, before);
    for (const auto& [name, value] : yes) {
      const auto other = no.find(name);
      if (other == no.end())
        return false;
      if (const auto was = before.find(name);
          was != before.end() && same(was->second, value) && same(was->second, other->second))
        continue;
      auto type = plain(value.type);
      if (!keep(name, type, make_expr(expr_kind::conditional, type, {*test, value, converted(other->second, type)}),
                certain))
        return false;
    }
    return yes.size() == no.size();
  }

  // Takes a memcpy from one variable to another of its size as its bits as the other's type.
  bool take_bits(const expr& e, bool certain) {
    if (e.kind != expr_kind::call || (e.text != "memcpy" && e.text != "__builtin_memcpy") || e.args.size() != 3)
      return false;
    const auto place = [](const expr& x) -> const expr* {
      const auto& a = bare(x);
      return a.kind == expr_kind::unary && a.text == "&" && a.args[0].kind == expr_kind::name ? &a.args[0] : nullptr;
    };
    const auto* to = place(e.args[0]);
    const auto* from = place(e.args[1]);
    if (to == nullptr || from == nullptr || !has_bits(to->type) || !has_bits(from->type)
        || bits(to->type.base) != bits(from->type.base) || !covers(e.args[2], *to))
      return false;
    auto value = filled(*from);
    if (!value)
      return false;
    value = converted(std::move(*value), from->type);
    return keep(
        to->text, to->type,
        make_expr(expr_kind::bits, scalar_type(to->type.base), {std::move(*value)}, vector_name(from->type.base, 1)),
        certain);
  }

  static bool has_bits(const ctype& t) {
    return t.base != scalar_kind::none && t.base != scalar_kind::boolean && t.depth == 0 && t.suffix.empty();
  }

  // Returns true if `size` is the size of both.
  static bool covers(const expr& size, const expr& to) {
    const auto n = literal_value(size);
    return n && *n * 8 == bits(to.type.base);
  }

  bool keep(const std::string& name, const ctype& type, std::optional<expr> value, bool certain) {
    if (!value || nodes(*value) > most_nodes)
      return false;
    auto v = converted(std::move(*value), type);
    if (count_mentions(body_, name) > 1 && !is_short(v)) {
      if (certain && before_ != nullptr)
        v = variable(name, type, std::move(v));
      else if (!may_repeat(v))
        return false;
    }
    known_[name] = std::move(v);
    return true;
  }

  expr variable(const std::string& name, const ctype& type, expr value) {
    auto own = name; // nobody else's, until a second value needs a name
    if (std::any_of(variables_.begin(), variables_.end(), [&](const stmt& s) { return s.name == own; }))
      own = name_of_its_own(p_, name);
    auto t = plain(type);
    variables_.push_back(make_declare(own, t, std::move(value)));
    return make_name(own, t);
  }

  // Returns e with the values of the function's variables in their place; nothing if one of them has none.
  std::optional<expr> filled(const expr& e) const {
    if (e.kind == expr_kind::opaque)
      return std::nullopt;
    if (e.kind == expr_kind::name) {
      const auto it = known_.find(e.text);
      return it == known_.end() ? std::nullopt : std::optional{it->second};
    }
    auto out = e;
    auto& args = out.args.change();
    for (auto& a : args) {
      auto x = filled(a);
      if (!x)
        return std::nullopt;
      a = std::move(*x);
    }
    return out;
  }

  program& p_;
  const ctype& type_;
  std::vector<stmt>* before_;
  list body_;                         // whole
  std::map<std::string, expr> known_; // variable → its value at this point
  list variables_;
};

} // namespace

std::optional<expr> value_of_call(program& p, const expr& call, const std::vector<stmt>& parameters,
                                  std::vector<stmt> body, std::vector<stmt>* before) {
  return call_value{p, call, before}.run(parameters, std::move(body));
}

} // namespace kevolve::transform
