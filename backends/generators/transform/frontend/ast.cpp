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

void ast_reader::note_file_variables(json function) {
  std::set<std::string> own;
  std::map<std::string, std::string> mentions;
  const auto look = [&](json node, const auto& self) -> void {
    if (text(node, "kind") == "VarDecl" || text(node, "kind") == "ParmVarDecl")
      own.insert(text(node, "id"));
    if (json decl; text(node, "kind") == "DeclRefExpr" && node["referencedDecl"].get(decl) == simdjson::SUCCESS
                   && text(decl, "kind") == "VarDecl")
      mentions.emplace(text(decl, "id"), text(decl, "name"));
    for (auto child : children(node))
      self(child, self);
  };
  look(function, look);
  for (const auto& [id, name] : mentions)
    if (own.count(id) == 0)
      file_variables_.insert(name);
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

result<program> read_function(const std::string& source, const std::string& syntax_tree, const std::string& entry,
                              bool may_alias) {
  if (syntax_tree.empty())
    return fail(errc::unsupported, "the compiler gave no syntax tree of " + entry);
  simdjson::dom::parser parser;
  json root;
  simdjson::padded_string padded{syntax_tree};
  if (auto error = parser.parse(padded).get(root); error != simdjson::SUCCESS)
    return fail(errc::unsupported, "the syntax tree of " + entry + " is no JSON: " + simdjson::error_message(error));
  std::map<std::string, json> functions;
  std::map<std::string, json> pure;
  if (ast_reader::text(root, "kind") == "TranslationUnitDecl") {
    pure = pure_functions(root);
    const auto all = ast_reader::children(root);
    for (auto function : all)
      if (auto name = ast_reader::text(function, "name"); name == entry)
        root = function;
      else if (ast_reader::text(function, "kind") == "FunctionDecl" && ast_reader::well_formed(function))
        functions[name] = function;
  }
  if (ast_reader::text(root, "kind") != "FunctionDecl" || ast_reader::text(root, "name") != entry)
    return fail(errc::unsupported, "the syntax tree holds no function " + entry);
  if (!ast_reader::well_formed(root))
    return fail(errc::unsupported, "the syntax tree of " + entry + " holds an operator without its operands");
  program p;
  p.source = source;
  ast_reader reader{p.source, p, std::move(functions), std::move(pure)};
  reader.note_file_variables(root);
  auto where = ast_reader::range(root);
  if (!where || where->second > source.size())
    return fail(errc::unsupported, entry + " does not stand in the file as plain text (a macro defines it?)");
  p.function_begin = where->first;
  p.function_end = where->second;
  bool has_body = false;
  for (auto child : ast_reader::children(root)) {
    auto kind = ast_reader::text(child, "kind");
    if (kind == "ParmVarDecl") {
      parameter x;
      x.type = reader.type_of(child);
      if (json type; child["type"].get(type) == simdjson::SUCCESS)
        x.is_restrict = ast_reader::text(type, "qualType").find("restrict") != std::string::npos;
      x.name = reader.declare(child);
      uint64_t offset = 0;
      if (child["loc"]["offset"].get(offset) == simdjson::SUCCESS && offset <= source.size()) {
        x.name_offset = offset;
        auto at = offset;
        while (at > 0 && source[at - 1] == ' ')
          --at;
        x.plain_pointer = x.type.depth > 0 && at > 0 && source[at - 1] == '*';
      }
      p.parameters.push_back(std::move(x));
    } else if (kind == "CompoundStmt") {
      auto body = ast_reader::range(child);
      if (!body)
        return fail(errc::unsupported, "the body of " + entry + " stands in a macro");
      if (body->first < p.function_begin || body->second > p.function_end)
        return fail(errc::unsupported, "the body of " + entry + " stands outside the function");
      p.body_begin = body->first;
      has_body = true;
      reader.read_stmt(child, p.body.change());
    }
  }
  for (auto& x : p.parameters) // a place for restrict is inside the declaration
    x.plain_pointer = x.plain_pointer && x.name_offset >= p.function_begin && x.name_offset <= p.body_begin;
  if (!has_body)
    return fail(errc::unsupported, entry + " has no body in this file");
  if (auto& body = p.body.change(); body.size() == 1 && body[0].kind == stmt_kind::block)
    body = std::vector<stmt>(std::move(body[0].body));
  bool lost = false;
  walk(p.body, [&](const stmt& s) { lost = lost || s.text.rfind("#error", 0) == 0; });
  walk_exprs(p.body, [&](const expr& e) { lost = lost || (e.kind == expr_kind::opaque && e.text.empty()); });
  if (lost)
    return fail(errc::unsupported, entry + ": " + p.notes.back().what);
  // A variable that may change through a pointer, inside an expression, or in a called function is no scalar that the
  // moves know.
  auto hidden = reader.hidden();
  bool calls = false;
  walk_exprs(p.body, [&](const expr& e) {
    calls = calls || e.kind == expr_kind::opaque || (e.kind == expr_kind::call && !is_pure_call(e));
  });
  walk(p.body, [&](const stmt& s) { calls = calls || s.kind == stmt_kind::opaque; });
  if (calls)
    hidden.insert(reader.file_state().begin(), reader.file_state().end());
  rewrite_exprs(p.body.change(), [&](expr& e) {
    if (e.kind == expr_kind::name && hidden.count(e.text) != 0) {
      e.kind = expr_kind::opaque;
      e.names = {e.text};
    }
    const auto is_argument = [&] {
      return std::any_of(p.parameters.begin(), p.parameters.end(),
                         [&](const parameter& x) { return x.name == e.text; });
    };
    if (e.kind == expr_kind::name && e.type.depth > 0 && e.type.is_const && !is_argument())
      e.type.is_const = false;                  // what it points into may be written by another name
    if (may_alias && e.kind == expr_kind::name) // what cannot be written by this name can be by another
      e.type.is_const = false;
  });
  normalise(p);
  reader.note_calls();
  return p;
}

} // namespace kevolve::transform
