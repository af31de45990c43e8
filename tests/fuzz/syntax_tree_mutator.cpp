// Mutates JSON as a tree, so that most results are valid JSON: moves, removes and duplicates nodes and exchanges their
// kinds. Occasionally it mutates bytes instead.
#include "tests/fuzz/input.hpp"

#include <nlohmann/json.hpp>

#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

namespace {

using tree = nlohmann::json;

const std::vector<std::string>& words() {
  static const std::vector<std::string> all{
      "FunctionDecl",
      "ParmVarDecl",
      "VarDecl",
      "CompoundStmt",
      "ForStmt",
      "WhileStmt",
      "DoStmt",
      "IfStmt",
      "DeclStmt",
      "ReturnStmt",
      "BreakStmt",
      "ContinueStmt",
      "NullStmt",
      "SwitchStmt",
      "GotoStmt",
      "LabelStmt",
      "BinaryOperator",
      "CompoundAssignOperator",
      "UnaryOperator",
      "ConditionalOperator",
      "ParenExpr",
      "CStyleCastExpr",
      "ImplicitCastExpr",
      "DeclRefExpr",
      "ArraySubscriptExpr",
      "IntegerLiteral",
      "FloatingLiteral",
      "CallExpr",
      "MemberExpr",
      "InitListExpr",
      "UnaryExprOrTypeTraitExpr",
      "StringLiteral",
      "CharacterLiteral",
      "ConstantExpr",
      "=",
      "+",
      "-",
      "*",
      "/",
      "%",
      "<",
      "<=",
      ">",
      ">=",
      "==",
      "!=",
      "&&",
      "||",
      ",",
      "+=",
      "-=",
      "++",
      "--",
      "!",
      "~",
      "&",
      "<<",
      "float *",
      "const float *",
      "int",
      "long",
      "float",
      "double",
      "int64_t",
      "unsigned char",
      "float[8]",
      "LValueToRValue",
      "ArrayToPointerDecay",
      "FunctionToPointerDecay",
      "IntegralToFloating",
      "NoOp",
      "ToVoid",
      "static",
      "c",
      "x",
      "y",
      "n",
      "f",
      "sqrtf",
      "expf",
      "0",
      "1",
      "-1",
      "18446744073709551615",
      "1e400",
      "",
  };
  return all;
}

void gather(tree& node, std::vector<tree*>& out) {
  out.push_back(&node);
  if (node.is_structured())
    for (auto& child : node)
      gather(child, out);
}

void change(tree& root, std::minstd_rand& random) {
  std::vector<tree*> all;
  gather(root, all);
  auto& at = *all[random() % all.size()];
  switch (random() % 8) {
    case 0: { // puts another node in its place
      const tree other = *all[random() % all.size()];
      at = other;
      break;
    }
    case 1: // removes a child
      if (at.is_structured() && !at.empty())
        at.erase(std::next(at.begin(), static_cast<std::ptrdiff_t>(random() % at.size())));
      break;
    case 2: // adds a child
      if (at.is_array()) {
        const tree other = *all[random() % all.size()];
        at.insert(at.begin() + static_cast<std::ptrdiff_t>(random() % (at.size() + 1)), other);
      }
      break;
    case 3:
      if (at.is_number())
        at = random() % 2 == 0 ? tree(random() % 200) : tree(~uint64_t{0} - random() % 4);
      break;
    case 4: { // nests one level deeper
      const tree inner = at;
      at = {{"id", "0x1"}, {"kind", words()[random() % words().size()]}, {"inner", tree::array({inner})}};
      break;
    }
    case 5: // reorders the children
      if (at.is_array() && at.size() > 1)
        std::swap(at[0], at[random() % at.size()]);
      break;
    default:
      if (at.is_string())
        at = words()[random() % words().size()];
  }
}

} // namespace

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  std::minstd_rand random{seed};
  const auto all = kevolve::fuzzing::view(data, size);
  const auto cut = all.find('\0');
  if (random() % 8 == 0 || cut == std::string_view::npos)
    return LLVMFuzzerMutate(data, size, max_size);
  auto root = tree::parse(all.substr(cut + 1), nullptr, false);
  if (root.is_discarded())
    return LLVMFuzzerMutate(data, size, max_size);
  for (auto n = 1 + random() % 4; n > 0; --n)
    change(root, random);
  const auto out = std::string{all.substr(0, cut + 1)} + root.dump(-1, ' ', false, tree::error_handler_t::replace);
  if (out.size() > max_size)
    return LLVMFuzzerMutate(data, size, max_size);
  std::copy(out.begin(), out.end(), data);
  return out.size();
}
