#include "tools/kevolve/bundle/escape.hpp"

#include "runtime/base/printable.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace kevolve {

namespace {

bool is_plain(char x) {
  return x >= ' ' && x <= '~';
}

} // namespace

std::string c_comment(std::string_view text) {
  std::string out;
  for (const auto x : printable(text)) {
    // Avoids the end of this comment and the start of another, which causes warnings. A backslash may join lines, and
    // two question marks may begin a trigraph.
    if (x == '\\' || x == '?')
      out += x == '?' ? "." : "/ ";
    else if ((x == '/' || x == '*') && !out.empty() && (out.back() == '*' || out.back() == '/'))
      out += std::string{" "} + x;
    else
      out += x;
  }
  return out;
}

std::string c_literal(std::string_view text) {
  std::string out = "\"";
  for (const auto x : text)
    if (x == '"' || x == '\\')
      out += std::string{"\\"} + x;
    else if (is_plain(x) && x != '?') // three characters may form a trigraph
      out += x;
    else // octal escapes have at most three digits
      out += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(x)));
  return out + "\"";
}

std::string cmake_quoted(std::string_view text) {
  std::string out = "\"";
  for (const auto x : printable(text)) {
    if (x == '"' || x == '\\' || x == '$' || x == ';' || x == '@')
      out += '\\';
    out += x;
  }
  return out + "\"";
}

std::string markdown(std::string_view text) {
  constexpr std::string_view special = "\\`*_{}[]#|~$@";
  const auto shown = printable(text);
  std::string out;
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto x = shown[i];
    if (x == '<')
      out += "&lt;";
    else if (x == '>')
      out += "&gt;";
    else if (x == '&')
      out += "&amp;";
    else if (special.find(x) != std::string_view::npos || (x == ':' && shown.compare(i, 3, "://") == 0)
             || (x == '.' && i >= 3 && shown.compare(i - 3, 3, "www") == 0)) // an address must not become a link
      out += std::string{"\\"} + x;
    else
      out += x;
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  std::string inside;
  for (const auto x : printable(text)) {
    run = x == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    inside += x;
  }
  const std::string fence(longest + 1, '`');
  return longest == 0 ? fence + inside + fence : fence + " " + inside + " " + fence;
}

std::string xml(std::string_view text) {
  std::string out;
  for (const auto x : printable(text))
    switch (x) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += x;
    }
  return out;
}

} // namespace kevolve
