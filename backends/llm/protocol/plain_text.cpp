#include "backends/llm/protocol/plain_text.hpp"

#include <cstdint>

namespace kevolve::llm {

namespace {

struct character {
  size_t bytes = 1;
  uint32_t code = 0;
  bool valid = false;
};

uint8_t byte_at(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

// Returns the character at `i`. An invalid one spans Unicode's maximal subpart.
character read_character(std::string_view text, size_t i) {
  const auto lead = byte_at(text, i);
  if (lead < 0x80)
    return {1, lead, true};
  size_t length = 0;
  uint32_t code = 0;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    code = lead & 0x1FU;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    code = lead & 0x0FU;
    low = lead == 0xE0 ? 0xA0 : 0x80;
    high = lead == 0xED ? 0x9F : 0xBF;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    code = lead & 0x07U;
    low = lead == 0xF0 ? 0x90 : 0x80;
    high = lead == 0xF4 ? 0x8F : 0xBF;
  } else {
    return {};
  }
  for (size_t k = 1; k < length; ++k) {
    if (i + k >= text.size() || byte_at(text, i + k) < low || byte_at(text, i + k) > high)
      return {k, 0, false};
    code = (code << 6U) | (byte_at(text, i + k) & 0x3FU);
    low = 0x80;
    high = 0xBF;
  }
  return {length, code, true};
}

bool is_invisible(uint32_t c) {
  if (c < 0x20)
    return c != '\n' && c != '\t';
  return (c >= 0x7F && c <= 0x9F) || c == 0xAD || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F)
         || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB)
         || (c >= 0xE0000 && c <= 0xE0FFF);
}

} // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto c = read_character(text, i);
    out += c.valid ? text.substr(i, c.bytes) : std::string_view{"\xEF\xBF\xBD"};
    i += c.bytes;
  }
  return out;
}

bool is_valid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto c = read_character(text, i);
    if (!c.valid)
      return false;
    i += c.bytes;
  }
  return true;
}

std::string plain_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\r') {
      out += '\n';
      i += i + 1 < text.size() && text[i + 1] == '\n' ? size_t{2} : size_t{1};
      continue;
    }
    const auto c = read_character(text, i);
    if (!c.valid)
      out += "\xEF\xBF\xBD";
    else if (!is_invisible(c.code))
      out += text.substr(i, c.bytes);
    i += c.bytes;
  }
  return out;
}

size_t first_unplain(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto c = read_character(text, i);
    if (!c.valid || (is_invisible(c.code) && c.code != '\r'))
      return i;
    i += c.bytes;
  }
  return std::string_view::npos;
}

} // namespace kevolve::llm
