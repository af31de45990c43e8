// The entry function as a whole: its parameters, its body, and the variables that others may change.
#include "backends/generators/transform/frontend/ast.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/frontend/ast_reader.hpp"
#include "backends/generators/transform/frontend/helpers.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>

namespace kevolve::transform {

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
