#include "actors/search/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kevolve {

namespace {

constexpr std::string_view plan_mark = "launch plan";

// Longer ones come first.
constexpr std::array<std::string_view, 25> operators{"<<=", ">>=", "...", "<=>", "->*", "++", "--", "->", "<<",
                                                     ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=",
                                                     "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "::"};

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

bool in_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// Returns the end of a quoted text that begins at `at`.
size_t end_of_quote(std::string_view s, size_t at) {
  const char quote = s[at];
  for (auto i = at + 1; i < s.size(); ++i) {
    if (s[i] == '\\')
      ++i;
    else if (s[i] == quote)
      return i + 1;
  }
  return s.size();
}

size_t end_of_number(std::string_view s, size_t at) {
  auto i = at + 1;
  while (i < s.size()) {
    const bool sign = (s[i] == '+' || s[i] == '-') && std::string_view{"eEpP"}.find(s[i - 1]) != std::string_view::npos;
    if (!in_word(s[i]) && s[i] != '.' && s[i] != '\'' && !sign)
      break;
    ++i;
  }
  return i;
}

bool begins_comment(std::string_view s, size_t at) {
  return s.substr(at).starts_with("//") || s.substr(at).starts_with("/*");
}

// A comment of the first kind ends before its line does; a backslash joins the next line to it.
size_t end_of_comment(std::string_view s, size_t at) {
  if (s[at + 1] == '*') {
    const auto end = s.find("*/", at + 2);
    return end == std::string_view::npos ? s.size() : end + 2;
  }
  for (auto end = s.find('\n', at); end != std::string_view::npos; end = s.find('\n', end + 1))
    if (s[end - 1] != '\\')
      return end;
  return s.size();
}

// Reads a directive from its mark on; returns where its line ends.
size_t read_directive(std::string_view s, size_t at, std::string& out) {
  while (at < s.size() && s[at] != '\n') {
    if (begins_comment(s, at)) {
      at = end_of_comment(s, at);
      out += ' ';
    } else if (s[at] == '\\' && at + 1 < s.size() && s[at + 1] == '\n') {
      at += 2;
      out += ' ';
    } else if (s[at] == '"' || s[at] == '\'') {
      const auto end = std::min(end_of_quote(s, at), std::max(s.find('\n', at), at + 1));
      out += s.substr(at, end - at);
      at = end;
    } else
      out += is_blank(s[at]) ? ' ' : s[at], ++at;
  }
  const auto double_blank = [](char a, char b) { return a == ' ' && b == ' '; };
  out.erase(std::unique(out.begin(), out.end(), double_blank), out.end());
  if (out.ends_with(' '))
    out.pop_back();
  return at;
}

std::string_view operator_at(std::string_view s, size_t at) {
  for (const auto o : operators)
    if (s.substr(at).starts_with(o))
      return o;
  return s.substr(at, 1);
}

} // namespace

std::vector<source_token> tokens_of_c(std::string_view s) {
  std::vector<source_token> out;
  bool line_begins = true;
  const auto take = [&](token_kind kind, size_t from, size_t to) {
    out.push_back({kind, std::string{s.substr(from, to - from)}});
    line_begins = false;
    return to;
  };
  for (size_t at = 0; at < s.size();) {
    const char c = s[at];
    if (c == '\n') {
      line_begins = true;
      ++at;
    } else if (is_blank(c) || (c == '\\' && at + 1 < s.size() && s[at + 1] == '\n'))
      at += c == '\\' ? 2 : 1;
    else if (begins_comment(s, at)) {
      const auto end = end_of_comment(s, at);
      if (s.substr(at, end - at).find(plan_mark) != std::string_view::npos)
        take(token_kind::plan, at, end);
      at = end;
    } else if (c == '#' && line_begins) {
      source_token t{token_kind::directive, {}};
      at = read_directive(s, at, t.text);
      out.push_back(std::move(t));
    } else if (c == '"' || c == '\'')
      at = take(token_kind::text, at, end_of_quote(s, at));
    else if (starts_word(c))
      at = take(token_kind::word, at,
                static_cast<size_t>(std::find_if_not(s.begin() + static_cast<std::ptrdiff_t>(at), s.end(), in_word)
                                    - s.begin()));
    else if (std::isdigit(static_cast<unsigned char>(c)) != 0
             || (c == '.' && at + 1 < s.size() && std::isdigit(static_cast<unsigned char>(s[at + 1])) != 0))
      at = take(token_kind::number, at, end_of_number(s, at));
    else
      at = take(token_kind::punctuation, at, at + operator_at(s, at).size());
  }
  return out;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    auto end = at;
    while (end < text.size() && in_word(text[end]))
      ++end;
    if (end > at && starts_word(text[at]))
      out.emplace_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return out;
}

std::string python_without_comments(std::string_view s) {
  std::string out;
  size_t line = 0; // where the present line begins in `out`
  const auto end_line = [&] {
    while (out.size() > line && is_blank(out.back()))
      out.pop_back();
    if (out.size() > line)
      out += '\n';
    line = out.size();
  };
  for (size_t at = 0; at < s.size();) {
    const char c = s[at];
    if (c == '#')
      at = std::min(s.find('\n', at), s.size());
    else if (c == '\n') {
      end_line();
      ++at;
    } else if (c == '"' || c == '\'') {
      const std::string fence(3, c);
      auto end = end_of_quote(s, at);
      if (s.substr(at).starts_with(fence)) {
        const auto close = s.find(fence, at + 3);
        end = close == std::string_view::npos ? s.size() : close + 3;
      }
      out += s.substr(at, end - at);
      at = end;
    } else {
      out += c;
      ++at;
    }
  }
  end_line();
  return out;
}

} // namespace kevolve
