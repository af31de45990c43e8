#include "actors/search/novelty.hpp"

#include "actors/search/source_tokens.hpp"
#include "runtime/base/c_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace kevolve {

namespace {

// Sources with one of these mean something else after a change of lines or names.
constexpr std::array<std::string_view, 5> keeps_text{"__LINE__", "__COUNTER__", "__FILE__", "R\"", "\?\?/"};
// Operands of assembly are named in strings; identifiers of ours begin with the last of them.
constexpr std::array<std::string_view, 4> keeps_names{"asm", "__asm", "__asm__", "$"};

// Words of the language that stand before an expression, so that a name after them is not declared.
constexpr std::array<std::string_view, 22> before_expressions{
    "return", "else",     "do",        "goto",     "case",     "sizeof",   "throw",   "new",
    "delete", "typename", "co_return", "co_await", "co_yield", "operator", "alignof", "_Alignof",
    "and",    "or",       "xor",       "not",      "bitand",   "bitor"};
constexpr std::array<std::string_view, 6> ends_of_declarators{"=", ";", ",", "[", ")", ":"};
constexpr std::array<std::string_view, 9> named_from_outside{".",     "->",   "::",       "goto",    "struct",
                                                             "union", "enum", "typename", "template"};

template <size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_word(const source_token& t) {
  return t.kind == token_kind::word;
}

bool is_language_type(const std::string& word) {
  return type_words().contains(word) || word == "auto" || word == "bool";
}

bool is_qualifier(const std::string& word) {
  return word != "auto" && qualifiers().contains(word);
}

bool is_pointer_mark(const source_token& t) {
  return t.text == "*" || t.text == "&";
}

// Tells if the word at `i` is declared there, as the grammar has it: a type stands before it, with qualifiers between
// them. No expression holds two names in a row, nor assigns to a product. Names after `*` are a product's operands
// otherwise, unless the type is one of the language.
bool is_declared(const std::vector<source_token>& tokens, size_t i) {
  const auto& word = tokens[i].text;
  if (i + 1 >= tokens.size() || !contains(ends_of_declarators, tokens[i + 1].text) || is_language_type(word)
      || qualifiers().contains(word) || contains(before_expressions, word))
    return false;
  auto at = i;
  bool pointer = false;
  while (at > 0 && (is_pointer_mark(tokens[at - 1]) || is_qualifier(tokens[at - 1].text)))
    pointer = is_pointer_mark(tokens[--at]) || pointer;
  if (at == 0 || !is_word(tokens[at - 1]) || contains(before_expressions, tokens[at - 1].text))
    return false;
  return is_language_type(tokens[at - 1].text) || !pointer || tokens[i + 1].text == "=";
}

// Tells if the word at `i` may mean something beyond a local: a function, a member, a label, a macro by its case.
bool is_known_outside(const std::vector<source_token>& tokens, size_t i) {
  const auto before = i == 0 ? std::string_view{} : std::string_view{tokens[i - 1].text};
  const auto after = i + 1 == tokens.size() ? std::string_view{} : std::string_view{tokens[i + 1].text};
  const bool label = after == ":" && (before == ";" || before == "{" || before == "}");
  const auto& word = tokens[i].text;
  const bool upper = std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
  return label || upper || contains(named_from_outside, before) || after == "::" || after == "(";
}

// Returns the words that name locals and nothing else.
std::set<std::string> locals_of(const std::vector<source_token>& tokens) {
  std::set<std::string> declared;
  std::set<std::string> outside;
  int depth = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto& t = tokens[i];
    if (t.text == "{")
      ++depth;
    else if (t.text == "}")
      --depth;
    else if (t.kind == token_kind::directive)
      for (const auto& word : words_in(t.text))
        outside.insert(word);
    else if (is_word(t)) {
      if (depth < 1 || is_known_outside(tokens, i))
        outside.insert(t.text);
      else if (is_declared(tokens, i))
        declared.insert(t.text);
    }
  }
  for (const auto& word : outside)
    declared.erase(word);
  return declared;
}

std::string of_c(std::string_view source) {
  const auto tokens = tokens_of_c(source);
  const bool renames = std::none_of(tokens.begin(), tokens.end(), [](const source_token& t) {
    return contains(keeps_names, t.text) || (is_word(t) && t.text.find('$') != std::string::npos);
  });
  const auto locals = renames ? locals_of(tokens) : std::set<std::string>{};
  std::map<std::string, std::string> names;
  std::string out;
  for (const auto& t : tokens) {
    const bool line = t.kind == token_kind::directive;
    if (!out.empty() && out.back() != '\n')
      out += line ? '\n' : ' ';
    if (is_word(t) && locals.contains(t.text))
      out += names.emplace(t.text, "$" + std::to_string(names.size())).first->second;
    else
      out += t.text;
    if (line)
      out += '\n';
  }
  return out;
}

} // namespace

std::string normalised_source(std::string_view source, std::string_view language) {
  for (const auto word : keeps_text)
    if (source.find(word) != std::string_view::npos)
      return std::string{source};
  const auto& kind = find_language(language);
  if (kind.extension == ".py")
    return python_without_comments(source);
  return kind.name.empty() ? std::string{source} : of_c(source);
}

id128 normalised_id(std::string_view source, std::string_view language, std::string_view flags) {
  const std::vector<std::string> content{normalised_source(source, language), std::string{language},
                                         std::string{flags}};
  return derive_id("normalised", encode(content));
}

} // namespace kevolve
