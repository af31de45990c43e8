// Calls of the file's own functions, read as what they compute or do: what a move cannot look into, it cannot rewrite.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/frontend/ast_reader.hpp"
#include "backends/generators/transform/frontend/call_end.hpp"
#include "backends/generators/transform/frontend/call_value.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace kevolve::transform {

namespace {

constexpr size_t most_calls = 1000;  // looked into; calls in calls in calls multiply
constexpr size_t most_copied = 3000; // of the bodies put in the places of their calls

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
  if (out_.notes.size() > notes)
    out.kept = out_.notes[notes];
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

std::vector<std::string> ast_reader::bind_places(called& function, expr& call) {
  std::vector<std::string> out;
  if (function.parameters.size() != call.args.size())
    return out;
  for (size_t i = function.parameters.size(); i-- > 0;) {
    const auto p = function.parameters[i];
    const auto& a = bare(call.args[i]);
    if (p.type.depth != 1 || a.kind != expr_kind::unary || a.text != "&" || a.args[0].kind != expr_kind::name
        || a.args[0].type.depth != 0 || !a.args[0].type.suffix.empty() || a.args[0].type.base != p.type.base)
      continue;
    const auto variable = a.args[0];
    const auto stands_for_it = [&](const expr& e) {
      return e.kind == expr_kind::subscript && e.args[0].kind == expr_kind::name && e.args[0].text == p.name
             && literal_value(e.args[1]) == 0;
    };
    size_t places = 0;
    bool pointed_to = false; // &p[0]
    walk_exprs(function.body, [&](const expr& e) {
      places += stands_for_it(e) ? 1U : 0U;
      pointed_to = pointed_to || (e.kind == expr_kind::unary && e.text == "&" && mentions(e, p.name));
    });
    if (pointed_to || places != count_mentions(function.body, p.name))
      continue;
    rewrite_exprs(function.body, [&](expr& e) {
      if (stands_for_it(e))
        e = variable;
    });
    out.push_back(variable.text);
    function.parameters.erase(function.parameters.begin() + static_cast<ptrdiff_t>(i));
    auto& args = call.args.change();
    args.erase(args.begin() + static_cast<ptrdiff_t>(i));
  }
  return out;
}

namespace {

// Returns the names that another function's statements use beside its own variables, functions included.
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
  // Calls whose effect lives as long as the calling function, or that know which one it is.
  static constexpr std::array<std::string_view, 4> bound_to_the_call{"alloca", "setjmp", "va_", "frame_address"};
  auto own = declared(body);
  bool ok = true;
  for (const auto& p : parameters) {
    own.insert(p.name);
    ok = ok && p.type.base != scalar_kind::none && p.type.suffix.empty();
  }
  walk(body, [&](const stmt& s) {
    // The length of an array is written in the words of the function that it is copied from.
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

// Returns true if the function changes nothing that its caller can see, but for its value.
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

// Returns true if the file and the entry mean the same by these names, now and in what is read later.
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
  auto addresses = addresses_;
  const auto kept = kept_.size();
  auto function = read_callee(found->second);
  hidden_ = std::move(hidden); // what is left of its variables has no place in memory
  addresses_ = std::move(addresses);
  kept_.resize(kept);
  reading_.erase(call.text);
  if (!binds(function, call, true) || !reaches(outside(function.body, function.parameters)))
    return std::nullopt;
  return value_of_call(out_, call, function.parameters, std::move(function.body), around_.before);
}

std::string ast_reader::trouble_of(called& function, const expr& call, bool whole, const std::set<std::string>& foreign,
                                   const std::optional<expr>& result) {
  auto& body = function.body;
  if (copied_ > most_copied)
    return "there are too many statements already";
  if (!binds(function, call, false))
    return "an argument is the address of a variable, or left as it is";
  bool remembers = false;
  walk(body, [&](const stmt& s) { remembers = remembers || s.is_static; });
  if (remembers)
    return "a variable of it outlives the call";
  if (!can_be_copied(body, function.parameters))
    return !function.kept ? "it holds what is bound to its own call"
                          : "line " + std::to_string(function.kept->line) + ": " + function.kept->what;
  if (result && !whole && !changes_nothing(body, function.parameters))
    return "it changes what the rest of the expression may see";
  if (!to_one_end(out_, body, function.parameters, result))
    return "it ends in the middle of an arm, or without a value";
  return reaches(foreign) ? "" : "it mentions what the caller has another name for";
}

bool ast_reader::spliced(const expr& written, bool whole, std::vector<stmt>& out, std::optional<expr>& result) {
  auto call = written;
  const auto found = functions_.find(call.text);
  if (found == functions_.end() || ++calls_read_ > most_calls)
    return false;
  if (!reading_.insert(call.text).second) {
    why_not_[call.text] = "it calls itself";
    return false;
  }
  const auto hidden = hidden_;
  const auto addresses = addresses_;
  const auto kept = kept_.size();
  auto function = read_callee(found->second);
  reading_.erase(call.text);
  kept_.resize(kept);
  const auto foreign = outside(function.body, function.parameters);
  const auto bound = bind_places(function, call);
  std::vector<stmt> made;
  if (result) {
    result = make_name(name_of_its_own(out_, "of_" + call.text), plain(call.type));
    made.push_back(make_declare(result->text, result->type, std::nullopt));
  }
  auto& body = function.body;
  copied_ += weight(body);
  if (auto why = trouble_of(function, call, whole, foreign, result); !why.empty()) {
    why_not_.emplace(call.text, std::move(why));
    hidden_ = hidden;
    addresses_ = addresses;
    return false;
  }
  for (const auto& name : bound)
    --addresses_[name];
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
