// Detects texts that look like any provider's key, as a fallback for secrets that the redactor was not given.
#include "backends/llm/protocol/redaction.hpp"

#include <algorithm>
#include <array>

namespace kevolve::llm {

namespace {

struct shape {
  std::string_view prefix;
  size_t least; // minimum number of characters after the prefix
  std::string_view kind;
};

// A prefix that extends another one must come before it.
constexpr std::array<shape, 22> shapes{{
    {"sk-ant-", 20, "anthropic"},  {"sk-or-", 20, "openrouter"}, {"sk-", 20, "openai"},
    {"xai-", 20, "xai"},           {"gsk_", 20, "groq"},         {"AIza", 30, "google"},
    {"ya29.", 20, "google"},       {"hf_", 20, "hugging face"},  {"nvapi-", 20, "nvidia"},
    {"pplx-", 20, "perplexity"},   {"r8_", 20, "replicate"},     {"github_pat_", 20, "github"},
    {"ghp_", 20, "github"},        {"gho_", 20, "github"},       {"ghs_", 20, "github"},
    {"ghu_", 20, "github"},        {"glpat-", 16, "gitlab"},     {"xoxb-", 20, "slack"},
    {"xoxp-", 20, "slack"},        {"AKIA", 16, "aws"},          {"ASIA", 16, "aws"},
    {"eyJ", 40, "json web token"},
}};

bool is_key_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.'
         || c == '~' || c == '+' || c == '/' || c == '=';
}

bool starts(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

bool starts_any_case(std::string_view text, std::string_view with) { // `with` is in lower case
  return text.size() >= with.size() && std::equal(with.begin(), with.end(), text.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

size_t run_length(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_key_character);
  return static_cast<size_t>(end - text.begin());
}

// Returns whether the text has several digits and letters, as random text does. "sk-learn-based-classification" has no
// digits and is no key.
bool looks_random(std::string_view text) {
  const auto count = [&](char low, char high) {
    return std::count_if(text.begin(), text.end(), [&](char c) { return c >= low && c <= high; });
  };
  return count('0', '9') >= 2 && count('a', 'z') + count('A', 'Z') >= 4;
}

key_shape by_prefix(std::string_view rest) {
  for (const auto& s : shapes) {
    if (!starts(rest, s.prefix))
      continue;
    const auto run = run_length(rest.substr(s.prefix.size()));
    if (run >= s.least && looks_random(rest.substr(s.prefix.size(), run)))
      return {0, s.prefix.size() + run, std::string{s.kind}};
  }
  return {};
}

key_shape by_label(std::string_view rest) {
  constexpr std::array<std::string_view, 5> labels{"bearer ",
                                                   "x-api-key: ", "api-key: ", "api_key=", "authorization: basic "};
  constexpr size_t least = 16;
  for (const auto label : labels) {
    if (!starts_any_case(rest, label))
      continue;
    const auto run = run_length(rest.substr(label.size()));
    if (run >= least && looks_random(rest.substr(label.size(), run)))
      return {0, label.size() + run, "bearer token"};
  }
  return {};
}

key_shape private_key(std::string_view rest) {
  constexpr std::string_view begin = "-----BEGIN ";
  if (!starts(rest, begin))
    return {};
  const auto title_end = rest.find("-----", begin.size());
  if (title_end == std::string_view::npos || rest.substr(0, title_end).find("PRIVATE KEY") == std::string_view::npos)
    return {};
  const auto end = rest.find("-----END ", title_end);
  if (end == std::string_view::npos)
    return {0, rest.size(), "private key"}; // the end is cut off, but the rest is secret as well
  const auto last = rest.find("-----", end + 9);
  return {0, last == std::string_view::npos ? rest.size() : last + 5, "private key"};
}

key_shape url_password(std::string_view rest) { // format scheme://user:password@host
  if (!starts(rest, "://"))
    return {};
  const auto authority = rest.substr(3, std::min(rest.size(), rest.find_first_of("/ \t\r\n\"'<>", 3)) - 3);
  const auto at = authority.rfind('@');
  const auto colon = authority.find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= at)
    return {};
  return {3 + colon + 1, at - colon - 1, "url password"};
}

} // namespace

std::vector<key_shape> find_key_shapes(std::string_view text) {
  std::vector<key_shape> out;
  for (size_t i = 0; i < text.size();) {
    const auto rest = text.substr(i);
    // A prefix inside a longer word does not count.
    const bool begins = i == 0 || !is_key_character(text[i - 1]) || text[i - 1] == '=' || text[i - 1] == '/';
    key_shape found;
    if (begins)
      found = by_prefix(rest);
    if (found.length == 0 && begins)
      found = by_label(rest);
    if (found.length == 0)
      found = private_key(rest);
    if (found.length == 0)
      found = url_password(rest);
    if (found.length == 0) {
      ++i;
      continue;
    }
    found.begin += i;
    i = found.begin + found.length;
    out.push_back(std::move(found));
  }
  return out;
}

std::string without_key_shapes(std::string_view text) {
  std::string out;
  size_t at = 0;
  for (const auto& k : find_key_shapes(text)) {
    out += text.substr(at, k.begin - at);
    out += "<looks like a key: " + k.kind + ">";
    at = k.begin + k.length;
  }
  out += text.substr(at);
  return out;
}

} // namespace kevolve::llm
