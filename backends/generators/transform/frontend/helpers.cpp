#include "backends/generators/transform/frontend/helpers.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/frontend/ast_reader.hpp"

#include <algorithm>
#include <map>

namespace kevolve::transform {

namespace {

json without_casts(json node) {
  while (true) {
    const auto kind = ast_reader::text(node, "kind");
    const auto inner = ast_reader::children(node);
    if ((kind != "ImplicitCastExpr" && kind != "ParenExpr" && kind != "CStyleCastExpr") || inner.size() != 1)
      return node;
    node = inner[0];
  }
}

// One function's own part: what it calls remains to be looked at.
class look {
public:
  std::set<std::string> calls;

  bool harmless(json node) {
    static const std::set<std::string, std::less<>> known{"BinaryOperator",
                                                          "BreakStmt",
                                                          "CStyleCastExpr",
                                                          "CharacterLiteral",
                                                          "CompoundAssignOperator",
                                                          "CompoundStmt",
                                                          "ConditionalOperator",
                                                          "ConstantExpr",
                                                          "ContinueStmt",
                                                          "DeclStmt",
                                                          "FloatingLiteral",
                                                          "ForStmt",
                                                          "IfStmt",
                                                          "ImplicitCastExpr",
                                                          "IntegerLiteral",
                                                          "NullStmt",
                                                          "ParenExpr",
                                                          "ReturnStmt",
                                                          "UnaryExprOrTypeTraitExpr",
                                                          "WhileStmt",
                                                          ""};
    const auto kind = ast_reader::text(node, "kind");
    if (kind == "CallExpr")
      return harmless_call(node);
    if (kind == "VarDecl") {
      if (!is_local_scalar(node))
        return false;
    } else if (kind == "DeclRefExpr") {
      return is_local(node);
    } else if (kind == "UnaryOperator") {
      const auto op = ast_reader::text(node, "opcode");
      if (op == "*" || op == "&")
        return false;
    } else if (known.count(kind) == 0) {
      return false;
    }
    for (auto child : ast_reader::children(node))
      if (!harmless(child))
        return false;
    return true;
  }

  bool is_local_scalar(json variable) {
    json type;
    if (variable["type"].get(type) != simdjson::SUCCESS)
      return false;
    const auto spelling = ast_reader::text(type, "qualType");
    const auto parsed = parse_ctype(spelling, ast_reader::text(type, "desugaredQualType"));
    const auto storage = ast_reader::text(variable, "storageClass");
    if (parsed.base == scalar_kind::none || parsed.depth != 0 || parsed.lanes != 1 || !parsed.suffix.empty()
        || spelling.find("volatile") != std::string::npos || storage == "static" || storage == "extern")
      return false;
    locals_.insert(ast_reader::text(variable, "id"));
    return true;
  }

private:
  bool is_local(json reference) const {
    json decl;
    return ast_reader::text(reference, "kind") == "DeclRefExpr"
           && reference["referencedDecl"].get(decl) == simdjson::SUCCESS
           && locals_.count(ast_reader::text(decl, "id")) != 0;
  }

  bool is_place_of_local(json argument) const {
    const auto node = without_casts(argument);
    const auto inner = ast_reader::children(node);
    return ast_reader::text(node, "kind") == "UnaryOperator" && ast_reader::text(node, "opcode") == "&"
           && inner.size() == 1 && is_local(without_casts(inner[0]));
  }

  bool harmless_call(json node) {
    const auto name = callee_of(node);
    const auto inner = ast_reader::children(node);
    if (!name)
      return false;
    if (*name == "memcpy" || *name == "__builtin_memcpy")
      return inner.size() == 4 && is_place_of_local(inner[1]) && is_place_of_local(inner[2]) && harmless(inner[3]);
    calls.insert(*name);
    for (size_t i = 1; i < inner.size(); ++i)
      if (!harmless(inner[i]))
        return false;
    return true;
  }

  std::set<std::string> locals_; // clang ids
};

// Returns the functions that one calls, if it is harmless itself.
std::optional<std::set<std::string>> calls_of(json function) {
  look at;
  for (auto child : ast_reader::children(function)) {
    const auto kind = ast_reader::text(child, "kind");
    if (kind == "ParmVarDecl" ? !at.is_local_scalar(child) : kind == "CompoundStmt" && !at.harmless(child))
      return std::nullopt;
  }
  return std::move(at.calls);
}

} // namespace

std::optional<std::string> callee_of(json call) {
  const auto inner = ast_reader::children(call);
  if (inner.empty())
    return std::nullopt;
  const auto callee = without_casts(inner[0]);
  json decl;
  if (callee["referencedDecl"].get(decl) != simdjson::SUCCESS || ast_reader::text(decl, "kind") != "FunctionDecl")
    return std::nullopt;
  return ast_reader::text(decl, "name");
}

std::map<std::string, json> pure_functions(json unit) {
  std::map<std::string, std::set<std::string>> harmless; // and what each calls
  std::map<std::string, json> out;
  for (auto function : ast_reader::children(unit))
    if (auto calls = calls_of(function); calls && ast_reader::text(function, "kind") == "FunctionDecl") {
      const auto name = ast_reader::text(function, "name");
      harmless[name] = std::move(*calls);
      out[name] = function;
    }
  for (bool changed = true; changed;)
    changed = std::erase_if(harmless,
                            [&](const auto& f) {
                              return std::any_of(f.second.begin(), f.second.end(), [&](const std::string& name) {
                                return harmless.count(name) == 0 && !is_pure_function(name);
                              });
                            })
              != 0;
  std::erase_if(out, [&](const auto& f) { return harmless.count(f.first) == 0; });
  return out;
}

} // namespace kevolve::transform
