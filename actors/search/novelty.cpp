#include "actors/search/novelty.hpp"

#include "actors/search/source_tokens.hpp"
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

constexpr std::array<std::string_view, 32> type_words{
    "int",     "float",   "double",   "char",     "short",     "long",    "unsigned", "signed",
    "bool",    "_Bool",   "auto",     "size_t",   "ptrdiff_t", "int8_t",  "int16_t",  "int32_t",
    "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",  "__m128",  "__m128d",  "__m128i",
    "__m256",  "__m256d", "__m256i",  "__m512",   "__m512d",   "__m512i", "half",     "__half"};
constexpr std::array<std::string_view, 7> qualifiers{"const",        "volatile", "restrict", "__restrict",
                                                     "__restrict__", "*",        "&"};
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

// Tells if the word at `i` is declared there: a type stands before it, with qualifiers between them.
bool is_declared(const std::vector<source_token>& tokens, size_t i) {
  const auto& word = tokens[i].text;
  if (i + 1 >= tokens.size() || !contains(ends_of_declarators, tokens[i + 1].text) || contains(type_words, word)
      || contains(qualifiers, word))
    return false;
  auto at = i;
  while (at > 0 && contains(qualifiers, tokens[at - 1].text))
    --at;
  return at > 0 && contains(type_words, tokens[at - 1].text);
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
