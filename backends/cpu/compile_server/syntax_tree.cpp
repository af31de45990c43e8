#include "backends/cpu/compile_server/syntax_tree.hpp"

#include <simdjson.h>

#include <algorithm>
#include <vector>

namespace kevolve {

namespace {

constexpr size_t most_helpers = 24; // includes library functions

// Splits the dump into JSON documents by braces outside strings. Text between documents is skipped.
std::vector<std::string_view> documents(std::string_view dump) {
  std::vector<std::string_view> out;
  size_t depth = 0;
  size_t begin = 0;
  bool in_string = false;
  for (size_t i = 0; i < dump.size(); ++i) {
    auto c = dump[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '{') {
      if (depth++ == 0)
        begin = i;
    } else if (c == '}' && depth > 0) {
      if (--depth == 0)
        out.push_back(dump.substr(begin, i + 1 - begin));
    } else if (c == '"' && depth > 0) {
      in_string = true;
    }
  }
  return out;
}

bool defines(simdjson::dom::parser& parser, std::string_view text, const std::string& entry) {
  simdjson::dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS)
    return false;
  std::string_view kind;
  std::string_view name;
  simdjson::dom::array inner;
  if (root["kind"].get(kind) != simdjson::SUCCESS || root["name"].get(name) != simdjson::SUCCESS
      || root["inner"].get(inner) != simdjson::SUCCESS || kind != "FunctionDecl" || name != entry)
    return false;
  for (auto child : inner)
    if (std::string_view k; child["kind"].get(k) == simdjson::SUCCESS && k == "CompoundStmt")
      return true;
  return false;
}

// Appends the names of functions mentioned below the node, without duplicates.
void add_called(simdjson::dom::element node, std::vector<std::string>& names) {
  simdjson::dom::element decl;
  std::string_view kind;
  std::string_view name;
  if (node["referencedDecl"].get(decl) == simdjson::SUCCESS && decl["kind"].get(kind) == simdjson::SUCCESS
      && kind == "FunctionDecl" && decl["name"].get(name) == simdjson::SUCCESS && !name.starts_with("__builtin_")
      && names.size() <= most_helpers && std::find(names.begin(), names.end(), name) == names.end())
    names.emplace_back(name);
  simdjson::dom::array inner;
  if (node["inner"].get(inner) == simdjson::SUCCESS)
    for (auto child : inner)
      add_called(child, names);
}

} // namespace

result<std::string> select_function(std::string_view dump, const std::string& entry) {
  simdjson::dom::parser parser;
  for (auto text : documents(dump))
    if (defines(parser, text, entry))
      return std::string{text};
  return fail(errc::not_found, "the source defines no function " + entry);
}

result<std::string> entry_and_helpers(const std::string& entry,
                                      const std::function<result<std::string>(const std::string& name)>& dump) {
  simdjson::dom::parser parser;
  std::vector<std::string> names{entry};
  std::vector<std::string> functions;
  for (size_t i = 0; i < names.size(); ++i) {
    auto said = dump(names[i]);
    if (!said)
      return said;
    auto function = select_function(*said, names[i]);
    if (!function && i == 0)
      return function;
    if (!function) // a library function
      continue;
    if (simdjson::dom::element root; parser.parse(*function).get(root) == simdjson::SUCCESS)
      add_called(root, names);
    functions.push_back(std::move(*function));
  }
  if (functions.size() == 1)
    return std::move(functions[0]);
  std::string out = R"({"kind": "TranslationUnitDecl", "inner": [)";
  for (const auto& f : functions)
    out += (&f == functions.data() ? "" : ",\n") + f;
  return out + "]}";
}

} // namespace kevolve
