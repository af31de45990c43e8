#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/frontend/ast_reader.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/frontend/helpers.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

namespace kevolve::transform {

ctype ast_reader::type_of(json node) const {
  json type;
  if (node["type"].get(type) != simdjson::SUCCESS)
    return {};
  return parse_ctype(text(type, "qualType"), text(type, "desugaredQualType"));
}

void ast_reader::mentioned(json node, std::map<std::string, std::string>& names) const {
  json decl;
  if (node["referencedDecl"].get(decl) == simdjson::SUCCESS) {
    auto it = names_.find(text(decl, "id"));
    if (it != names_.end())
      names[text(decl, "name")] = it->second;
  }
  for (auto child : children(node))
    mentioned(child, names);
}

void ast_reader::changed(json node, std::vector<std::string>& names) const {
  auto kind = text(node, "kind");
  auto op = text(node, "opcode");
  bool changes = (kind == "BinaryOperator" && op == "=") || kind == "CompoundAssignOperator"
                 || (kind == "UnaryOperator" && (op == "++" || op == "--" || op == "&"));
  auto inner = children(node);
  if (changes && !inner.empty()) {
    auto target = inner[0];
    while (text(target, "kind") == "ParenExpr")
      target = children(target)[0];
    std::map<std::string, std::string> below; // an element of an array is no change of a variable
    if (text(target, "kind") == "DeclRefExpr")
      mentioned(target, below);
    for (const auto& [old_name, new_name] : below)
      names.push_back(new_name);
  }
  for (auto child : inner)
    changed(child, names);
}

namespace {

// Returns true for abs() and its kin of whole numbers: a choice, which all moves know.
bool is_magnitude(const expr& call) {
  const auto& f = call.text;
  if ((f != "abs" && f != "labs" && f != "llabs") || call.args.size() != 1 || !is_integer(call.args[0].type.base))
    return false;
  // The choice must find its operand as it is before the call converts it.
  const auto is = bare(call.args[0]).type.base;
  const auto as = call.type.base;
  return is_integer(is) && (is == as || bits(is) < bits(as));
}

expr magnitude(const expr& of, const ctype& type) {
  auto negative = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {of, make_literal(0)}, "<");
  return make_expr(expr_kind::conditional, type,
                   {std::move(negative), make_expr(expr_kind::unary, type, {of}, "-"), of});
}

} // namespace

expr ast_reader::opaque_expr(json node) {
  expr e;
  e.kind = expr_kind::opaque;
  e.type = type_of(node);
  if (auto where = expanded_range(node)) {
    e.text = source_.substr(where->first, where->second - where->first);
    kept_.push_back(*where);
  }
  std::map<std::string, std::string> names;
  mentioned(node, names);
  for (const auto& [old_name, new_name] : names) {
    if (old_name != new_name)
      e.text = replace_identifier(e.text, old_name, new_name);
    e.names.push_back(new_name);
  }
  std::vector<std::string> changes;
  changed(node, changes);
  hidden_.insert(changes.begin(), changes.end());
  static const std::set<std::string, std::less<>> operators{"BinaryOperator", "CompoundAssignOperator", "UnaryOperator",
                                                            "ConditionalOperator", "CStyleCastExpr"};
  if (operators.count(text(node, "kind")) != 0 && !e.text.empty()) // whatever it stands in
    e.text = "(" + e.text + ")";
  if (e.text.empty())
    out_.notes.push_back({0, "an expression of kind " + text(node, "kind") + " without a place in the file"});
  else
    note(node, "'" + e.text + "' is left as it is" + (changes.empty() ? "" : ": a change inside an expression"));
  return e;
}

void ast_reader::note(json node, const std::string& what) {
  const auto where = expanded_range(node);
  source_note said{where ? line_of(where->first) : 0, what};
  if (std::find(out_.notes.begin(), out_.notes.end(), said) == out_.notes.end())
    out_.notes.push_back(std::move(said));
}

void ast_reader::note_calls() {
  std::set<std::string> left;
  walk_exprs(out_.body, [&](const expr& e) {
    if (e.kind == expr_kind::call && !e.computes && !is_pure_call(e))
      left.insert(e.text);
  });
  for (const auto& [name, line] : calls_)
    if (left.count(name) != 0) {
      const auto why = why_not_.find(name);
      out_.notes.push_back(
          {line, functions_.count(name) == 0
                     ? "what " + name + "() does beside computing a value is not known"
                     : "the body of " + name + "() cannot stand in its place: "
                           + (why != why_not_.end() ? why->second : "it is called where it may not be reached")});
    }
}

// C leaves the moment of `i++` and `++i` open within the statement, provided that it is reached: a statement of its
// own, after or before, does the same.
std::optional<expr> ast_reader::stepped(json node, const expr& a, bool up) {
  bool postfix = false;
  if (a.kind != expr_kind::name || node["isPostfix"].get(postfix) != simdjson::SUCCESS)
    return std::nullopt;
  auto step = make_assign(a, up ? "+=" : "-=", make_literal(1));
  if (postfix && around_.after != nullptr) {
    around_.after->push_back(std::move(step));
    return a;
  }
  const bool counts = is_integer(a.type.base) && a.type.depth == 0 && bits(a.type.base) >= 32;
  if (around_.before == nullptr || (postfix && !counts))
    return std::nullopt;
  around_.before->push_back(std::move(step));
  return postfix ? make_binary(up ? "-" : "+", a, make_literal(1)) : a;
}

expr ast_reader::read_expr(json node) {
  const auto kept = kept_.size();
  const auto increments = around_.after == nullptr ? 0 : around_.after->size();
  const auto before = around_.before == nullptr ? 0 : around_.before->size();
  const auto take_back = [&] { // its text does it all itself
    if (around_.after != nullptr)
      around_.after->resize(increments);
    if (around_.before != nullptr)
      around_.before->resize(before);
  };
  auto e = read_node(node);
  if (e.kind == expr_kind::opaque)
    take_back();
  if (e.kind == expr_kind::opaque || kept_.size() == kept)
    return e;
  // A part of a macro has no text of its own but the whole macro's: what the macro stands for is then kept as a whole.
  const auto where = expanded_range(node);
  if (!where || std::find(kept_.begin() + static_cast<ptrdiff_t>(kept), kept_.end(), *where) == kept_.end())
    return e;
  take_back();
  return opaque_expr(node);
}

expr ast_reader::read_node(json node) {
  auto kind = text(node, "kind");
  auto inner = children(node);
  auto type = type_of(node);
  auto sub = [&](size_t i) { return read_expr(inner[i]); };
  if ((kind == "ParenExpr" || kind == "ConstantExpr") && inner.size() == 1)
    return sub(0);
  if (kind == "ImplicitCastExpr" && inner.size() == 1) {
    auto cast = text(node, "castKind");
    bool converts = cast == "IntegralCast" || cast == "FloatingCast" || cast == "IntegralToFloating"
                    || cast == "FloatingToIntegral" || cast == "IntegralToBoolean" || cast == "FloatingToBoolean";
    if (!converts)
      return sub(0);
    auto e = make_expr(expr_kind::cast, type, {sub(0)});
    e.implicit = true;
    return e;
  }
  if (kind == "CStyleCastExpr" && inner.size() == 1 && type.depth == 0 && type.base != scalar_kind::none
      && type.suffix.empty())
    return make_expr(expr_kind::cast, type, {sub(0)});
  if (kind == "CharacterLiteral") {
    uint64_t value = 0;
    if (node["value"].get(value) != simdjson::SUCCESS)
      return opaque_expr(node);
    const auto code = static_cast<int64_t>(static_cast<int32_t>(value));              // an int in C, below 0 for '\xff'
    if (type.base != scalar_kind::i32 || code == std::numeric_limits<int32_t>::min()) // U'a'; a long in C's decimals
      return opaque_expr(node);
    auto e = make_literal(code < 0 ? -code : code);
    return code < 0 ? make_unary("-", std::move(e)) : e;
  }
  if (kind == "IntegerLiteral" || kind == "FloatingLiteral") {
    auto where = range(node);
    auto e = make_expr(expr_kind::literal, type, {});
    if (where && where->second <= source_.size()) {
      e.text = source_.substr(where->first, where->second - where->first);
    } else {
      e.text = text(node, "value");
      if (kind == "FloatingLiteral") {
        if (e.text.find_first_of(".eEn") == std::string::npos)
          e.text += ".0";
        if (type.base == scalar_kind::f32)
          e.text += "f";
      } else if (type.base == scalar_kind::i64)
        e.text += "L";
      else if (type.base == scalar_kind::u64)
        e.text += "UL";
      else if (type.base == scalar_kind::u32)
        e.text += "U";
    }
    return e;
  }
  if (kind == "DeclRefExpr") {
    json decl;
    if (node["referencedDecl"].get(decl) != simdjson::SUCCESS)
      return opaque_expr(node);
    auto it = names_.find(text(decl, "id"));
    if (it == names_.end() && text(decl, "kind") == "VarDecl" && !type.is_const && type.depth == 0
        && type.suffix.empty())
      file_state_.insert(text(decl, "name"));
    return make_name(it != names_.end() ? it->second : text(decl, "name"), type);
  }
  if (kind == "ArraySubscriptExpr" && inner.size() == 2) {
    auto base = sub(0);
    auto index = sub(1);
    if (is_integer(base.type.base) && base.type.depth == 0 && base.type.suffix.empty())
      std::swap(base, index); // 2[a]
    return make_expr(expr_kind::subscript, type, {std::move(base), std::move(index)});
  }
  if (kind == "UnaryOperator" && inner.size() == 1) {
    auto op = text(node, "opcode");
    auto a = sub(0);
    if (op == "*") { // *p is p[0], *(p + i) is p[i]
      if (a.kind == expr_kind::binary && a.text == "+" && a.args[0].type.depth > 0)
        return make_expr(expr_kind::subscript, type, {a.args[0], a.args[1]});
      return make_expr(expr_kind::subscript, type, {std::move(a), make_literal(0)});
    }
    if (op == "+")
      return a;
    if (op == "&" && a.kind == expr_kind::name && a.type.suffix.empty())
      ++addresses_[a.text];
    if (op == "-" || op == "!" || op == "~" || op == "&")
      return make_expr(expr_kind::unary, type, {std::move(a)}, op);
    if (op == "++" || op == "--")
      if (auto value = stepped(node, a, op == "++"))
        return std::move(*value);
    return opaque_expr(node); // ++ and -- whose moment matters
  }
  if (kind == "BinaryOperator" && inner.size() == 2) {
    auto op = text(node, "opcode");
    if (op == "=" || op == ",")
      return opaque_expr(node);
    if (op != "&&" && op != "||")
      return make_expr(expr_kind::binary, type, {sub(0), sub(1)}, op);
    const auto around = std::exchange(around_, {around_.before, nullptr});
    auto first = sub(0); // always evaluated, before the other
    around_ = {};
    auto e = make_expr(expr_kind::binary, type, {std::move(first), sub(1)}, op);
    around_ = around;
    return e;
  }
  if (kind == "ConditionalOperator" && inner.size() == 3) {
    const auto around = std::exchange(around_, {around_.before, nullptr});
    auto condition = sub(0); // always evaluated, before the others
    around_ = {};
    auto e = make_expr(expr_kind::conditional, type, {std::move(condition), sub(1), sub(2)});
    around_ = around;
    return e;
  }
  if (kind == "UnaryExprOrTypeTraitExpr" && text(node, "name") == "sizeof") {
    json of;
    const auto measured = node["argType"].get(of) == simdjson::SUCCESS
                              ? parse_ctype(text(of, "qualType"), text(of, "desugaredQualType"))
                          : inner.size() == 1 ? type_of(inner[0])
                                              : ctype{};
    const auto bytes = size_of(measured);
    return bytes ? make_expr(expr_kind::literal, type, {}, std::to_string(*bytes) + "UL") : opaque_expr(node);
  }
  if (kind == "MemberExpr" && inner.size() == 1) {
    bool arrow = false;
    if (node["isArrow"].get(arrow) != simdjson::SUCCESS)
      arrow = false;
    return make_expr(expr_kind::member, type, {sub(0)}, (arrow ? "->" : ".") + text(node, "name"));
  }
  if (kind == "CallExpr" && !inner.empty()) {
    auto callee = sub(0);
    if (callee.kind != expr_kind::name)
      return opaque_expr(node);
    auto e = make_expr(expr_kind::call, type, {}, callee.text);
    e.computes = pure_.count(callee_of(node).value_or("")) != 0;
    // Increments in arguments are over before a function that might see them begins.
    const auto around = around_;
    if (!e.computes && !is_pure_function(e.text))
      around_.after = nullptr;
    for (size_t i = 1; i < inner.size(); ++i)
      e.args.change().push_back(sub(i));
    around_ = around;
    if (is_magnitude(e) && functions_.count(e.text) == 0 && callee_of(node) == e.text)
      return magnitude(e.args[0], type);
    if (auto value = e.computes ? inlined(e) : std::nullopt)
      return std::move(*value);
    if (const auto where = expanded_range(node); where && !e.computes && !is_pure_function(e.text))
      calls_.emplace(e.text, line_of(where->first));
    if (around_.before != nullptr && type.base != scalar_kind::none && type.depth == 0) {
      std::optional<expr> result = e;
      if (spliced(e, text(node, "id") == whole_call_, *around_.before, result))
        return std::move(*result);
    }
    return e;
  }
  return opaque_expr(node);
}

} // namespace kevolve::transform
