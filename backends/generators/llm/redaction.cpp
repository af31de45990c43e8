#include "backends/generators/llm/redaction.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace kevolve::llm {

namespace {

constexpr size_t shortest_secret = 8;

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::optional<unsigned> hex_number(std::string_view digits) {
  unsigned out = 0;
  for (char c : digits) {
    const int v = hex_value(c);
    if (v < 0)
      return std::nullopt;
    out = out * 16 + static_cast<unsigned>(v);
  }
  return out;
}

// Bytes of `text` that stand for `c` in one escaped form; 0: none do.
size_t percent_escape(std::string_view text, unsigned char c) {
  size_t at = 1; // %41, %2541, %252541 …
  while (text.substr(at, 2) == "25" && text.size() >= at + 4)
    at += 2;
  if (c == '%' && at > 1)
    return at; // the 25 was the character itself
  const auto code = text.size() >= at + 2 ? hex_number(text.substr(at, 2)) : std::nullopt;
  return code && *code == c ? at + 2 : 0;
}

size_t backslash_escape(std::string_view text, unsigned char c) {
  size_t slashes = 1; // JSON within JSON
  while (slashes < text.size() && text[slashes] == '\\')
    ++slashes;
  if (c == '\\')
    return slashes;
  if (slashes >= text.size())
    return 0;
  if ((text[slashes] == 'u' || text[slashes] == 'x') && text.size() > slashes + 2) {
    const size_t digits = text[slashes] == 'u' ? 4 : 2;
    const auto code = text.size() > slashes + digits ? hex_number(text.substr(slashes + 1, digits)) : std::nullopt;
    if (code && *code == c)
      return slashes + 1 + digits;
  }
  constexpr std::string_view letters = "ntrbf";
  constexpr std::string_view controls = "\n\t\r\b\f";
  if (const auto which = letters.find(text[slashes]); which != std::string_view::npos)
    if (static_cast<unsigned char>(controls[which]) == c)
      return slashes + 1;
  return static_cast<unsigned char>(text[slashes]) == c ? slashes + 1 : 0;
}

size_t html_escape(std::string_view text, unsigned char c) { // &#65; &#x41; &amp;
  constexpr std::array<std::pair<std::string_view, char>, 5> named{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  for (const auto& [name, meaning] : named)
    if (static_cast<unsigned char>(meaning) == c && text.substr(0, name.size()) == name)
      return name.size();
  const auto end = text.substr(0, 9).find(';');
  if (end == std::string_view::npos || end < 3 || text[1] != '#')
    return 0;
  auto digits = text.substr(2, end - 2);
  if (digits.front() == 'x' || digits.front() == 'X') {
    const auto code = hex_number(digits.substr(1));
    return code && digits.size() > 1 && *code == c ? end + 1 : 0;
  }
  unsigned code = 0;
  for (char d : digits) {
    if (d < '0' || d > '9')
      return 0;
    code = code * 10 + static_cast<unsigned>(d - '0');
  }
  return code == c ? end + 1 : 0;
}

size_t character_length(std::string_view text, char wanted) {
  const auto c = static_cast<unsigned char>(wanted);
  size_t escaped = 0;
  if (text.front() == '%')
    escaped = percent_escape(text, c);
  else if (text.front() == '\\')
    escaped = backslash_escape(text, c);
  else if (text.front() == '&')
    escaped = html_escape(text, c);
  else if (text.front() == '+' && c == ' ')
    escaped = 1; // as forms send it
  if (escaped > 0)
    return escaped;
  return text.front() == wanted ? 1 : 0;
}

// Length of the value at the text's beginning in any mixture of escapes; 0: it does not stand there.
size_t escaped_length(std::string_view text, std::string_view value) {
  size_t at = 0;
  for (char wanted : value) {
    const auto step = at < text.size() ? character_length(text.substr(at), wanted) : 0;
    if (step == 0)
      return 0;
    at += step;
  }
  return at;
}

size_t encoded_length(std::string_view text, std::string_view value, bool any_case) {
  size_t at = 0;
  for (char wanted : value) {
    for (;;) { // line ends, plain or as JSON has them
      if (at < text.size() && (text[at] == '\n' || text[at] == '\r'))
        ++at;
      else if (text.substr(at, 2) == "\\n" || text.substr(at, 2) == "\\r" || text.substr(at, 2) == "\\/")
        at += text[at + 1] == '/' ? size_t{1} : size_t{2}; // base64's slash may be escaped: its backslash goes
      else
        break;
    }
    if (at >= text.size() || (any_case ? lowered(text[at]) : text[at]) != wanted)
      return 0;
    ++at;
  }
  return at;
}

// What base64 makes of the value with `before` unknown bytes in front: the characters that the value alone decides.
std::string base64_core(std::string_view value, size_t before, std::string_view alphabet) {
  const std::string padded = std::string(before, '\0') + std::string{value};
  std::string out;
  for (size_t bit = 0; bit + 6 <= padded.size() * 8; bit += 6) {
    unsigned index = 0;
    for (size_t k = bit; k < bit + 6; ++k)
      index = index * 2 + ((static_cast<unsigned char>(padded[k / 8]) >> (7 - k % 8)) & 1U);
    if (bit >= before * 8)
      out += alphabet[index];
  }
  return out;
}

std::string hexadecimal(std::string_view value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (char c : value) {
    out += digits[static_cast<unsigned char>(c) >> 4U];
    out += digits[static_cast<unsigned char>(c) & 15U];
  }
  return out;
}

} // namespace

result<redactor> redactor::make(std::vector<secret> secrets) {
  constexpr std::string_view base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::string_view base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  redactor out;
  // Longer ones first: one that holds another goes whole.
  std::sort(secrets.begin(), secrets.end(),
            [](const secret& a, const secret& b) { return a.value.size() > b.value.size(); });
  for (const auto& s : secrets) {
    if (s.value.size() < shortest_secret)
      return fail(errc::bad_input,
                  "secret '" + s.name + "' has fewer than 8 characters: it cannot be kept out of text");
    const auto which = out.names_.size();
    out.names_.push_back(s.name);
    out.forms_.push_back({s.value, false, false, which});
    for (size_t before = 0; before < 3; ++before)
      for (const auto alphabet : {base64, base64url})
        out.forms_.push_back({base64_core(s.value, before, alphabet), true, false, which});
    out.forms_.push_back({hexadecimal(s.value), true, true, which});
  }
  return out;
}

redactor::hit redactor::next(std::string_view text, size_t from) const {
  for (size_t i = from; i < text.size(); ++i) {
    hit best;
    for (const auto& f : forms_) {
      const auto rest = text.substr(i);
      size_t length = 0;
      if (!f.encoded)
        length = escaped_length(rest, f.text);
      else if ((f.any_case ? lowered(rest.front()) : rest.front()) == f.text.front())
        length = encoded_length(rest, f.text, f.any_case);
      if (length > best.length)
        best = {i, length, f.secret};
    }
    if (best.length > 0)
      return best;
  }
  return {};
}

std::string redactor::clean(std::string_view text) const {
  std::string out;
  size_t at = 0;
  for (auto h = next(text, 0); h.length > 0; h = next(text, at)) {
    out += text.substr(at, h.begin - at);
    out += "<secret:" + names_[h.secret] + ">";
    at = h.begin + h.length;
  }
  out += text.substr(at);
  return out;
}

bool redactor::finds(std::string_view text) const {
  return next(text, 0).length > 0;
}

} // namespace kevolve::llm
