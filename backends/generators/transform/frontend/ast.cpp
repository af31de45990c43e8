#include "backends/generators/transform/frontend/ast.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/frontend/ast_reader.hpp"
#include "backends/generators/transform/frontend/helpers.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve::transform {

size_t ast_reader::line_of(size_t offset) const {
  return 1
         + static_cast<size_t>(std::count(
             source_.begin(), source_.begin() + static_cast<ptrdiff_t>(std::min(offset, source_.size())), '\n'));
}

std::string ast_reader::declare(json node) {
  const auto given = text(node, "name");
  const bool hides = text(node, "kind") == "VarDecl" && file_variables_.count(given) != 0;
  auto name = in_callee_ || hides ? name_of_its_own(out_, given.empty() ? "unnamed" : given) : fresh_name(out_, given);
  names_[text(node, "id")] = name;
  return name;
}

void ast_reader::opaque_stmt(json node, const std::string& why, std::vector<stmt>& out) {
  stmt s;
  s.kind = stmt_kind::opaque;
  s.op = text(node, "kind");
  changed(node, s.changes);
  auto where = expanded_range(node);
  if (!where) {
    out_.notes.push_back({0, why + ", and its text is not to be had"});
    s.text = "#error \"" + why + "\"";
    out.push_back(std::move(s));
    return;
  }
  auto end = where->second;
  while (end < source_.size() && (source_[end] == ' ' || source_[end] == ';')) // a statement's range lacks its ';'
    if (source_[end++] == ';')
      break;
  s.text = source_.substr(where->first, end - where->first);
  if (s.text.back() != ';' && s.text.back() != '}')
    s.text += ';';
  std::map<std::string, std::string> names;
  mentioned(node, names);
  for (const auto& [old_name, new_name] : names) {
    if (old_name != new_name)
      s.text = replace_identifier(s.text, old_name, new_name);
    s.names.push_back(new_name);
  }
  out_.notes.push_back({line_of(where->first), why});
  out.push_back(std::move(s));
}

// Returns the part of an expression that is evaluated before anything else of it that matters: of !f(), f() && x, f()
// == 0 the call.
json ast_reader::evaluated_first(json node) {
  const auto kind = text(node, "kind");
  const auto op = text(node, "opcode");
  const auto inner = children(node);
  const bool converts = kind == "ParenExpr" || kind == "ImplicitCastExpr" || kind == "CStyleCastExpr";
  if (inner.size() == 1 && (converts || (kind == "UnaryOperator" && (op == "!" || op == "-"))))
    return evaluated_first(inner[0]);
  if (inner.size() != 2 || kind != "BinaryOperator")
    return node;
  const bool compares = op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=";
  return op == "&&" || op == "||" || (compares && text(inner[1], "kind") == "IntegerLiteral")
             ? evaluated_first(inner[0])
             : node;
}

expr ast_reader::read_whole(json node) {
  const auto call = evaluated_first(node);
  const auto outer = std::exchange(whole_call_, text(call, "kind") == "CallExpr" ? text(call, "id") : std::string{});
  auto out = read_expr(node);
  whole_call_ = outer;
  return out;
}

bool ast_reader::acts(json node) {
  const auto kind = text(node, "kind");
  const auto op = text(node, "opcode");
  if (kind == "CallExpr" || kind == "CompoundAssignOperator" || kind == "StmtExpr"
      || (kind == "BinaryOperator" && op == "=") || (kind == "UnaryOperator" && (op == "++" || op == "--")))
    return true;
  const auto inner = children(node);
  return std::any_of(inner.begin(), inner.end(), acts);
}

std::vector<stmt> ast_reader::read_body(json node) {
  std::vector<stmt> out;
  if (text(node, "kind") == "CompoundStmt")
    for (auto child : children(node))
      read_stmt(child, out);
  else
    read_stmt(node, out);
  return out;
}

void ast_reader::read_declaration(json node, std::vector<stmt>& out) {
  for (auto decl : children(node)) {
    auto type = type_of(decl);
    bool plain =
        text(decl, "kind") == "VarDecl" && type.base != scalar_kind::none && text(decl, "storageClass") != "extern";
    if (!plain) {
      // Every name of the statement stays as written, or the opaque text would not match.
      for (auto other : children(node)) {
        auto name = text(other, "name");
        names_[text(other, "id")] = name;
        out_.taken.push_back(name);
      }
      opaque_stmt(node, "a declaration whose type the moves do not know", out);
      return;
    }
  }
  for (auto decl : children(node)) {
    auto inner = children(decl);
    auto storage = text(decl, "storageClass");
    stmt s;
    s.kind = stmt_kind::declare;
    s.type = type_of(decl);
    s.is_static = storage == "static";
    s.has_value = !text(decl, "init").empty() && !inner.empty();
    std::vector<stmt> after;
    around_ = {s.is_static ? nullptr : &out, &after};
    if (s.has_value)
      s.value = read_whole(inner[0]);
    around_ = {};
    s.name = declare(decl);
    out.push_back(std::move(s));
    std::move(after.begin(), after.end(), std::back_inserter(out));
  }
}

void ast_reader::read_effect(json node, std::vector<stmt>& out) {
  auto kind = text(node, "kind");
  auto op = text(node, "opcode");
  auto inner = children(node);
  if (kind == "ParenExpr" && inner.size() == 1)
    return read_effect(inner[0], out);
  if (kind == "BinaryOperator" && op == ",") {
    read_effect(inner[0], out);
    return read_effect(inner[1], out);
  }
  // a = b = c is b = c; a = b
  if (kind == "BinaryOperator" && op == "=" && text(inner[1], "kind") == "BinaryOperator"
      && text(inner[1], "opcode") == "=" && !acts(children(inner[1])[0])) {
    read_effect(inner[1], out);
    auto middle = read_expr(children(inner[1])[0]);
    out.push_back(make_assign(read_expr(inner[0]), "=", std::move(middle)));
    return;
  }
  if ((kind == "BinaryOperator" && op == "=") || kind == "CompoundAssignOperator") {
    // p[i++] = q[j++]: C leaves the moment of the increments open up to the end of the statement.
    std::vector<stmt> after;
    const auto before = out.size();
    around_ = {splices_ ? &out : nullptr, &after};
    auto target = read_expr(inner[0]);
    auto value = read_whole(inner[1]);
    around_ = {};
    if (target.kind == expr_kind::name || target.kind == expr_kind::subscript) {
      json computed;
      const auto in = node["computeLHSType"].get(computed) == simdjson::SUCCESS
                          ? parse_ctype(text(computed, "qualType"), text(computed, "desugaredQualType"))
                          : target.type;
      out.push_back(assigned_by(std::move(target), op, std::move(value), in));
      std::move(after.begin(), after.end(), std::back_inserter(out));
      return;
    }
    out.resize(before); // it is read again, as a whole
  }
  if (kind == "UnaryOperator" && (op == "++" || op == "--")) {
    auto target = read_expr(inner[0]);
    if (target.kind == expr_kind::name || target.kind == expr_kind::subscript) {
      auto one = make_literal(1);
      out.push_back(make_assign(std::move(target), op == "++" ? "+=" : "-=", std::move(one)));
      return;
    }
  }
  if (kind == "CStyleCastExpr" && text(node, "castKind") == "ToVoid")
    return acts(inner[0]) ? read_effect(inner[0], out) : void(); // (void)x
  stmt s;
  s.kind = stmt_kind::evaluate;
  s.value = read_expr(node);
  std::optional<expr> none;
  if (s.value.kind == expr_kind::call && splices_ && spliced(s.value, true, out, none))
    return;
  out.push_back(std::move(s));
}

// `if (a && ++b > c) x`, where what the second changes hangs on the first: if (a) { b += 1; if (b > c) x }
void ast_reader::read_branch(json condition, std::vector<stmt> yes, std::vector<stmt> no, std::vector<stmt>& out) {
  auto inner = children(condition);
  while (text(condition, "kind") == "ParenExpr" && inner.size() == 1) {
    condition = inner[0];
    inner = children(condition);
  }
  std::vector<std::string> changes;
  if (no.empty() && text(condition, "kind") == "BinaryOperator" && text(condition, "opcode") == "&&")
    changed(inner[1], changes);
  if (!changes.empty()) {
    std::vector<stmt> second;
    read_branch(inner[1], std::move(yes), {}, second);
    return read_branch(inner[0], std::move(second), {}, out);
  }
  stmt s;
  s.kind = stmt_kind::branch;
  std::vector<stmt> after;
  around_ = {&out, &after};
  s.value = read_whole(condition);
  around_ = {};
  if (!after.empty()) { // if (*p++ > x): what is asked is kept until the steps are done
    auto truth = scalar_type(scalar_kind::i32);
    truth.text = "int";
    if (!is_truth(s.value))
      s.value = make_expr(expr_kind::binary, truth, {std::move(s.value), make_literal(0)}, "!=");
    auto kept = make_name(name_of_its_own(out_, "holds"), truth);
    out.push_back(make_declare(kept.text, truth, std::exchange(s.value, kept)));
    std::move(after.begin(), after.end(), std::back_inserter(out));
  }
  s.body = std::move(yes);
  s.otherwise = std::move(no);
  out.push_back(std::move(s));
}

namespace {

// Returns the words that C's programmers use for the construct.
std::string words_for(const std::string& kind) {
  static const std::map<std::string, std::string, std::less<>> words{{"GotoStmt", "a goto"},
                                                                     {"IndirectGotoStmt", "a goto"},
                                                                     {"LabelStmt", "a label"},
                                                                     {"SwitchStmt", "a switch"},
                                                                     {"DoStmt", "a do loop"},
                                                                     {"GCCAsmStmt", "assembly"},
                                                                     {"AttributedStmt", "a statement with attributes"}};
  const auto it = words.find(kind);
  return it == words.end() ? "a statement of kind " + kind : it->second;
}

} // namespace

void ast_reader::read_stmt(json node, std::vector<stmt>& out) {
  auto kind = text(node, "kind");
  auto inner = children(node);
  stmt s;
  if (kind == "NullStmt" || kind.empty())
    return;
  if (kind == "CompoundStmt") {
    s.kind = stmt_kind::block;
    s.body = read_body(node);
    out.push_back(std::move(s));
  } else if (kind == "DeclStmt") {
    read_declaration(node, out);
  } else if (kind == "ForStmt") {
    read_for(node, out);
  } else if (kind == "WhileStmt" && inner.size() == 2) {
    read_while(node, out);
  } else if (kind == "IfStmt" && (inner.size() == 2 || inner.size() == 3)) {
    read_branch(inner[0], read_body(inner[1]), inner.size() == 3 ? read_body(inner[2]) : std::vector<stmt>{}, out);
  } else if (kind == "ReturnStmt") {
    s.kind = stmt_kind::return_value;
    s.has_value = !inner.empty();
    around_ = {&out, nullptr};
    if (s.has_value)
      s.value = read_whole(inner[0]);
    around_ = {};
    out.push_back(std::move(s));
  } else if (kind == "BreakStmt") {
    s.kind = stmt_kind::break_out;
    out.push_back(std::move(s));
  } else if (kind == "ContinueStmt") {
    s.kind = stmt_kind::next;
    out.push_back(std::move(s));
  } else if (kind == "BinaryOperator" || kind == "CompoundAssignOperator" || kind == "UnaryOperator"
             || kind == "CallExpr" || kind == "ParenExpr" || kind == "CStyleCastExpr") {
    read_effect(node, out);
  } else {
    opaque_stmt(node, words_for(kind) + " is left as it is", out);
  }
}

} // namespace kevolve::transform
