// Calls of the file's own functions that do nothing but compute, read as the expressions that they compute: what a
// move cannot look into, it cannot rewrite.
#include "backends/generators/transform/analysis.hpp"
#include "backends/generators/transform/ast_reader.hpp"
#include "backends/generators/transform/normalise_steps.hpp"
#include "backends/generators/transform/print.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace kevolve::transform {

std::string name_of_its_own(program& p, const std::string& like) {
  // Comments and texts too: where those begin and end is not looked at.
  const auto in_file = [&](const std::string& name) {
    const auto& text = p.source;
    const auto inside = [&](size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      if ((at == 0 || !inside(at - 1)) && !inside(at + name.size()))
        return true;
    return false;
  };
  auto out = fresh_name(p, like);
  while (in_file(out))
    out = fresh_name(p, like);
  return out;
}

namespace {

constexpr size_t most_nodes = 200;   // of what one call becomes
constexpr size_t most_calls = 1000;  // looked into; calls in calls in calls multiply
constexpr size_t most_copied = 3000; // of the bodies put in the places of their calls
constexpr size_t most_twice = 40;    // of what is written down again at each use

size_t nodes(const expr& e) {
  size_t n = 0;
  walk(e, [&](const expr&) { ++n; });
  return n;
}

// Nothing that a second evaluation, or none, would change or make expensive.
bool may_repeat(const expr& e) {
  bool ok = nodes(e) <= most_twice;
  walk(e, [&](const expr& x) { ok = ok && x.kind != expr_kind::call && x.kind != expr_kind::opaque; });
  return ok;
}

// A name, a number or an element: what reads as well twice.
bool is_short(const expr& e) {
  const auto& x = bare(e);
  return x.kind == expr_kind::name || x.kind == expr_kind::literal
         || (x.kind == expr_kind::subscript && may_repeat(x.args[1]));
}

ctype plain(ctype t) {
  t.is_const = false;
  return t;
}

// As C converts what is bound to a variable of that type, or given back.
expr converted(expr e, const ctype& type) {
  if (e.kind == expr_kind::cast && e.implicit && e.type.base != bare(e.args[0]).type.base) {
    e.implicit = false;
    e.type = plain(e.type);
  }
  return e.type.base == type.base ? e : make_expr(expr_kind::cast, plain(type), {std::move(e)});
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
      if (s.kind == stmt_kind::give_back) {
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

  // What is given back if one of two arms ends the function.
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

  // Of two arms that only assign, each variable's value by the condition.
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

  // memcpy from one variable to another of its size: its bits as the other's type.
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
        || bits(to->type.base) != bits(from->type.base) || !covers(e.args[2], *to, *from))
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

  // Whether `size` is that of both: a number, or sizeof one of them.
  static bool covers(const expr& size, const expr& to, const expr& from) {
    const auto& s = bare(size);
    if (const auto n = literal_value(s))
      return *n * 8 == bits(to.type.base);
    const auto text = s.kind == expr_kind::opaque ? s.text : std::string{};
    const auto is = [&](const std::string& what) {
      return text == "sizeof " + what || text == "sizeof(" + what + ")" || text == "sizeof (" + what + ")";
    };
    return is(to.text) || is(from.text) || is(print_type(plain(to.type))) || is(print_type(plain(from.type)));
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

  // With the values of the function's variables in their place; nothing if one of them has none.
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

ast_reader::called ast_reader::read_callee(json function) {
  // Another function's names, and another clang's ids.
  const auto around = std::exchange(around_, {});
  auto names = std::exchange(names_, {});
  const auto inside = std::exchange(in_callee_, true);
  const auto splices = std::exchange(splices_, true);
  const auto whole = std::exchange(whole_call_, {});
  called out;
  const auto notes = out_.notes.size();
  for (auto child : children(function)) {
    const auto kind = text(child, "kind");
    if (kind == "ParmVarDecl") {
      auto type = type_of(child);
      out.parameters.push_back(make_declare(declare(child), std::move(type), std::nullopt));
    } else if (kind == "CompoundStmt") {
      read_stmt(child, out.body);
    }
  }
  names_ = std::move(names);
  around_ = around;
  in_callee_ = inside;
  splices_ = splices;
  whole_call_ = whole;
  out_.notes.resize(notes);
  flatten(out.body);
  return out;
}

// Gives each parameter its argument; false where that is not all there is to a call.
bool ast_reader::binds(called& function, const expr& call, bool pure) {
  if (function.parameters.size() != call.args.size())
    return false;
  for (size_t i = 0; i < call.args.size(); ++i) {
    bool plain = true;
    walk(call.args[i], [&](const expr& x) {
      const bool of_scalar = x.kind == expr_kind::unary && x.text == "&" && x.args[0].kind != expr_kind::subscript;
      plain =
          plain && x.kind != expr_kind::opaque && !of_scalar && (x.kind != expr_kind::call || !pure || is_pure_call(x));
    });
    if (!plain)
      return false;
    function.parameters[i].value = call.args[i];
    function.parameters[i].has_value = true;
  }
  return true;
}

namespace {

bool ends(const std::vector<stmt>& body) {
  return !body.empty()
         && (body.back().kind == stmt_kind::give_back
             || (body.back().kind == stmt_kind::branch && ends(body.back().body) && ends(body.back().otherwise)));
}

bool gives_back(const stmt& s) {
  bool found = false;
  walk(std::vector<stmt>{s}, [&](const stmt& x) { found = found || x.kind == stmt_kind::give_back; });
  return found;
}

// The body with an assignment to `result` (none: there is no value) where it gave one back, and what follows an arm
// that ends put into the other one; false if it ends inside a loop, or sometimes in the middle of an arm.
bool to_one_end(std::vector<stmt>& body, const std::optional<expr>& result) {
  for (size_t i = 0; i < body.size(); ++i) {
    auto& s = body[i];
    if (!gives_back(s))
      continue;
    auto rest = std::vector<stmt>(body.begin() + static_cast<ptrdiff_t>(i) + 1, body.end());
    body.resize(i + 1);
    if (s.kind == stmt_kind::give_back) {
      if (s.has_value != result.has_value())
        return false;
      if (result)
        s = make_assign(*result, "=", converted(s.value, result->type));
      else
        body.pop_back();
      return true;
    }
    if (s.kind != stmt_kind::branch)
      return false;
    auto& yes = s.body.change();
    auto& no = s.otherwise.change();
    if (!rest.empty() && !ends(yes) && !ends(no))
      return false;
    auto& open = ends(yes) ? no : yes;
    open.insert(open.end(), rest.begin(), rest.end());
    return to_one_end(yes, result) && to_one_end(no, result);
  }
  return !result; // falls off the end
}

// What a name in another function's statements refers to beside its own variables, functions included.
std::set<std::string> outside(const std::vector<stmt>& body, const std::vector<stmt>& parameters) {
  auto own = declared(body);
  for (const auto& p : parameters)
    own.insert(p.name);
  std::set<std::string> out;
  walk_exprs(body, [&](const expr& e) {
    if ((e.kind == expr_kind::name || e.kind == expr_kind::call) && own.count(e.text) == 0)
      out.insert(e.text);
  });
  return out;
}

bool can_be_copied(const std::vector<stmt>& body, const std::vector<stmt>& parameters) {
  // What lives as long as the function that calls for it, or knows which one that is.
  static constexpr std::array<std::string_view, 4> bound_to_the_call{"alloca", "setjmp", "va_", "frame_address"};
  auto own = declared(body);
  bool ok = true;
  for (const auto& p : parameters) {
    own.insert(p.name);
    ok = ok && p.type.base != scalar_kind::none && p.type.suffix.empty();
  }
  walk(body, [&](const stmt& s) {
    // How long an array is stands in the words of the function that it is copied from.
    const bool by_name = std::any_of(s.type.suffix.begin(), s.type.suffix.end(), [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
    ok = ok && s.kind != stmt_kind::opaque && !s.is_static && !by_name;
    for_each_expr(s, [&](const expr& e) {
      walk(e, [&](const expr& x) {
        ok = ok && x.kind != expr_kind::opaque;
        if (x.kind == expr_kind::call) // through a pointer, or as above
          ok = ok && own.count(x.text) == 0
               && std::none_of(bound_to_the_call.begin(), bound_to_the_call.end(),
                               [&](std::string_view word) { return x.text.find(word) != std::string::npos; });
      });
    });
  });
  return ok;
}

// Whether it changes nothing that its caller can see, but for what it gives back.
bool changes_nothing(const std::vector<stmt>& body, const std::vector<stmt>& parameters) {
  auto own = declared(body);
  for (const auto& p : parameters)
    own.insert(p.name);
  bool ok = true;
  walk(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::assign)
      ok = ok && s.target.kind == expr_kind::name && own.count(s.target.text) != 0;
    for_each_expr(s, [&](const expr& e) {
      walk(e, [&](const expr& x) { ok = ok && (x.kind != expr_kind::call || is_pure_call(x)); });
    });
  });
  return ok;
}

} // namespace

// What the file has by these names must be what the entry sees by them too, now and in what is read later.
bool ast_reader::reaches(const std::set<std::string>& names) {
  for (const auto& name : names) {
    if (outer_.count(name) != 0)
      continue;
    if (std::find(out_.taken.begin(), out_.taken.end(), name) != out_.taken.end())
      return false;
    outer_.insert(name);
    out_.taken.push_back(name);
  }
  return true;
}

std::optional<expr> ast_reader::inlined(const expr& call) {
  const auto found = pure_.find(call.text);
  if (found == pure_.end() || ++calls_read_ > most_calls || !reading_.insert(call.text).second)
    return std::nullopt;
  auto hidden = hidden_;
  const auto kept = kept_.size();
  auto function = read_callee(found->second);
  hidden_ = std::move(hidden); // what is left of its variables has no place in memory
  kept_.resize(kept);
  reading_.erase(call.text);
  if (!binds(function, call, true) || !reaches(outside(function.body, function.parameters)))
    return std::nullopt;
  return call_value{out_, call, around_.before}.run(function.parameters, std::move(function.body));
}

bool ast_reader::spliced(const expr& call, bool whole, std::vector<stmt>& out, std::optional<expr>& result) {
  const auto found = functions_.find(call.text);
  if (found == functions_.end() || ++calls_read_ > most_calls || !reading_.insert(call.text).second)
    return false;
  const auto hidden = hidden_;
  const auto kept = kept_.size();
  auto function = read_callee(found->second);
  reading_.erase(call.text);
  kept_.resize(kept);
  std::vector<stmt> made;
  if (result) {
    result = make_name(name_of_its_own(out_, "of_" + call.text), plain(call.type));
    made.push_back(make_declare(result->text, result->type, std::nullopt));
  }
  auto& body = function.body;
  const auto foreign = outside(body, function.parameters);
  copied_ += weight(body);
  bool ok = copied_ <= most_copied && binds(function, call, false) && can_be_copied(body, function.parameters)
            && (!result || whole || changes_nothing(body, function.parameters)) && to_one_end(body, result)
            && reaches(foreign);
  if (!ok) {
    hidden_ = hidden;
    return false;
  }
  for (auto& p : function.parameters) {
    p.type.is_const = p.type.depth > 0 && p.type.is_const;
    if (p.type.depth == 0)
      p.value = converted(std::move(p.value), p.type);
    made.push_back(std::move(p));
  }
  std::move(body.begin(), body.end(), std::back_inserter(made));
  std::move(made.begin(), made.end(), std::back_inserter(out));
  return true;
}

} // namespace kevolve::transform
