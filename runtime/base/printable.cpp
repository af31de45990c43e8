#include "runtime/base/printable.hpp"

namespace kevolve {

std::string printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    // C1 controls are two bytes in UTF-8: 0xc2 0x80 to 0xc2 0x9f.
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      ++i;
      out += ' ';
    } else
      out += c < 0x20 || c == 0x7f ? ' ' : text[i];
  }
  return out;
}

} // namespace kevolve
