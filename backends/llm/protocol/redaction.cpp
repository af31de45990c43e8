#include "backends/llm/protocol/redaction.hpp"

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

std::string in_lower_case(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), lowered);
  return out;
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

// Each function below appends the lengths of the encodings of `c` at the text's beginning, in one family of escapes.
// There may be several: "%25" is a percent sign, or the beginning of one that was encoded twice.
using lengths = std::vector<size_t>;
constexpr size_t most_layers = 16; // number of nested escapes

void percent_escapes(std::string_view text, unsigned char c, lengths& out) {
  size_t at = 1; // matches %41, %2541, %252541 …
  for (size_t layer = 0; layer < most_layers && text.size() >= at + 2; ++layer) {
    if (const auto code = hex_number(text.substr(at, 2)); code && *code == c)
      out.push_back(at + 2);
    if (text.substr(at, 2) != "25")
      break;
    at += 2;
  }
}

void backslash_escapes(std::string_view text, unsigned char c, lengths& out) {
  constexpr size_t most_slashes = 8; // JSON within JSON doubles the slashes
  size_t slashes = 1;
  while (slashes < std::min(text.size(), most_slashes) && text[slashes] == '\\')
    ++slashes;
  if (c == '\\')
    for (size_t n = 1; n <= slashes; ++n)
      out.push_back(n);
  if (slashes >= text.size())
    return;
  const char letter = text[slashes];
  if (letter == 'u' || letter == 'x') {
    const size_t digits = letter == 'u' ? 4 : 2;
    const auto code =
        text.size() > slashes + digits ? hex_number(text.substr(slashes + 1, digits)) : std::optional<unsigned>{};
    if (code && *code == c)
      out.push_back(slashes + 1 + digits);
  }
  constexpr std::string_view letters = "ntrbf";
  constexpr std::string_view controls = "\n\t\r\b\f";
  if (const auto which = letters.find(letter);
      which != std::string_view::npos && static_cast<unsigned char>(controls[which]) == c)
    out.push_back(slashes + 1);
  if (static_cast<unsigned char>(letter) == c)
    out.push_back(slashes + 1);
}

void html_escapes(std::string_view text, unsigned char c, lengths& out) { // matches &#65; &#x41; &amp;
  constexpr std::array<std::pair<std::string_view, char>, 5> named{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  for (const auto& [name, meaning] : named)
    if (static_cast<unsigned char>(meaning) == c && text.substr(0, name.size()) == name)
      out.push_back(name.size());
  const auto end = text.substr(0, 9).find(';');
  if (end == std::string_view::npos || end < 3 || text[1] != '#')
    return;
  auto digits = text.substr(2, end - 2);
  const bool hexadecimal = digits.front() == 'x' || digits.front() == 'X';
  if (hexadecimal)
    digits.remove_prefix(1);
  unsigned code = 0;
  for (char d : digits) {
    const int v = hex_value(d);
    if (v < 0 || (!hexadecimal && v > 9))
      return;
    code = code * (hexadecimal ? 16U : 10U) + static_cast<unsigned>(v);
  }
  if (!digits.empty() && code == c)
    out.push_back(end + 1);
}

bool may_begin(char c, char wanted) {
  constexpr std::string_view begins_escape = "%\\&";
  return c == wanted || (c == '+' && wanted == ' ') || begins_escape.find(c) != std::string_view::npos;
}

// Returns the length of the value at the text's beginning, in any mixture of escapes. Returns the longest reading; 0 if
// the value is not there.
size_t escaped_length(std::string_view text, std::string_view value) {
  if (!may_begin(text.front(), value.front()))
    return 0;
  lengths ends{0}; // ends of all readings so far
  lengths next;
  lengths here;
  for (char wanted : value) {
    next.clear();
    const auto c = static_cast<unsigned char>(wanted);
    for (const auto at : ends) {
      if (at >= text.size())
        continue;
      const auto rest = text.substr(at);
      here.clear();
      if (rest.front() == wanted || (rest.front() == '+' && wanted == ' ')) // form encoding writes a space as +
        here.push_back(1);
      if (rest.front() == '%')
        percent_escapes(rest, c, here);
      else if (rest.front() == '\\')
        backslash_escapes(rest, c, here);
      else if (rest.front() == '&')
        html_escapes(rest, c, here);
      for (const auto length : here)
        next.push_back(at + length);
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    if (next.empty())
      return 0;
    std::swap(ends, next);
  }
  return ends.back();
}

size_t encoded_length(std::string_view text, std::string_view value, bool any_case) {
  size_t at = 0;
  for (char wanted : value) {
    for (;;) { // skips line ends, plain or escaped as in JSON
      if (at < text.size() && (text[at] == '\n' || text[at] == '\r'))
        ++at;
      else if (text.substr(at, 2) == "\\n" || text.substr(at, 2) == "\\r" || text.substr(at, 2) == "\\/")
        at += text[at + 1] == '/' ? size_t{1} : size_t{2}; // JSON may escape base64's slash; skips the backslash
      else
        break;
    }
    if (at >= text.size() || (any_case ? lowered(text[at]) : text[at]) != wanted)
      return 0;
    ++at;
  }
  return at;
}

// Returns the base64 characters that depend on the value alone, if `before` unknown bytes precede it.
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
  // Longer secrets come first, so that a secret that contains another is removed as a whole.
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
  for (const auto& f : out.forms_) {
    const auto n = std::clamp(f.text.size() * 3 / 4, size_t{6}, size_t{12});
    for (size_t at = 0; at + n <= f.text.size(); ++at)
      out.fragments_[n].insert(in_lower_case(std::string_view{f.text}.substr(at, n)));
  }
  for (const auto& f : out.forms_)
    for (int byte = 0; byte < 256; ++byte) {
      const auto c = static_cast<char>(byte);
      const bool may = f.encoded ? (f.any_case ? lowered(c) : c) == f.text.front() : may_begin(c, f.text.front());
      out.begins_[static_cast<size_t>(byte)] = out.begins_[static_cast<size_t>(byte)] || may;
    }
  return out;
}

redactor::hit redactor::next(std::string_view text, size_t from) const {
  for (size_t i = from; i < text.size(); ++i) {
    if (!begins_[static_cast<unsigned char>(text[i])])
      continue;
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

std::string redactor::clean_cut(std::string_view text) const {
  const auto whole = clean(text);
  const auto small = in_lower_case(whole);
  std::vector<bool> hidden(whole.size());
  for (const auto& [n, fragments] : fragments_)
    for (size_t at = 0; at + n <= small.size(); ++at)
      if (fragments.contains(std::string_view{small}.substr(at, n)))
        std::fill_n(hidden.begin() + static_cast<std::ptrdiff_t>(at), n, true);
  std::string out;
  for (size_t at = 0; at < whole.size(); ++at)
    if (!hidden[at])
      out += whole[at];
    else if (at == 0 || !hidden[at - 1])
      out += "<part of a secret>";
  return out;
}

bool redactor::finds(std::string_view text) const {
  return next(text, 0).length > 0;
}

} // namespace kevolve::llm
