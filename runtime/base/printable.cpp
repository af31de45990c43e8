#include "runtime/base/printable.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace kevolve {

namespace {

// Ranges of characters, ends included: direction marks, embeddings, overrides and isolates; line separators; characters
// drawn as nothing or as a blank; variation selectors. Texts that look the same differ by these. Joiners (U+200C,
// U+200D) belong to scripts and are not listed.
constexpr std::array<std::pair<uint32_t, uint32_t>, 13> hidden{{{0x00ad, 0x00ad},
                                                                {0x061c, 0x061c},
                                                                {0x180b, 0x180f},
                                                                {0x200b, 0x200b},
                                                                {0x200e, 0x200f},
                                                                {0x2028, 0x202e},
                                                                {0x2060, 0x206f},
                                                                {0x2800, 0x2800},
                                                                {0xfe00, 0xfe0f},
                                                                {0xfeff, 0xfeff},
                                                                {0xfff9, 0xfffb},
                                                                {0xe0000, 0xe007f},
                                                                {0xe0100, 0xe01ef}}};

bool is_hidden(uint32_t c) {
  for (auto [from, to] : hidden)
    if (c >= from && c <= to)
      return true;
  return false;
}

struct character {
  uint32_t code = 0;
  size_t bytes = 0; // 0 if the bytes are not UTF-8
};

// Decodes one character beyond ASCII. The text is not empty.
character decode(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  character out;
  auto first = byte(0);
  uint32_t least = 0;
  if (first >= 0xc2 && first < 0xe0)
    out = {first & 0x1fU, 2}, least = 0x80;
  else if (first >= 0xe0 && first < 0xf0)
    out = {first & 0x0fU, 3}, least = 0x800;
  else if (first >= 0xf0 && first < 0xf5)
    out = {first & 0x07U, 4}, least = 0x10000;
  if (out.bytes == 0 || out.bytes > text.size())
    return {};
  for (size_t i = 1; i < out.bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U)
      return {};
    out.code = out.code << 6U | (byte(i) & 0x3fU);
  }
  auto surrogate = out.code >= 0xd800 && out.code < 0xe000;
  return out.code < least || out.code > 0x10ffff || surrogate ? character{} : out;
}

} // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto c = static_cast<unsigned char>(text.front());
    if (c < 0x80) {
      out += c < 0x20 || c == 0x7f ? ' ' : text.front();
      text.remove_prefix(1);
      continue;
    }
    auto x = decode(text);
    if (x.bytes == 0)
      out += "\xef\xbf\xbd";
    else if (x.code < 0xa0) // C1 controls
      out += ' ';
    else if (is_hidden(x.code)) {
      std::array<char, 16> name{};
      std::snprintf(name.data(), name.size(), "<U+%04X>", static_cast<unsigned>(x.code));
      out += name.data();
    } else
      out += text.substr(0, x.bytes);
    text.remove_prefix(x.bytes == 0 ? 1 : x.bytes);
  }
  return out;
}

} // namespace kevolve
