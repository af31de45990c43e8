#include "backends/cpu/compile_server/syntax_tree.hpp"

#include <simdjson.h>

#include <vector>

namespace kevolve {

namespace {

// Splits at the top level: braces outside strings. Text between documents is skipped.
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

} // namespace

result<std::string> select_function(std::string_view dump, const std::string& entry) {
  simdjson::dom::parser parser;
  for (auto text : documents(dump))
    if (defines(parser, text, entry))
      return std::string{text};
  return fail(errc::not_found, "the source defines no function " + entry);
}

} // namespace kevolve
