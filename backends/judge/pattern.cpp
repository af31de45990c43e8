#include "backends/judge/pattern.hpp"

#include "backends/judge/widest.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace kevolve {

namespace {

KEVOLVE_WIDEST void fill_words(uint64_t* words, size_t n, uint64_t pattern) {
  for (size_t i = 0; i < n; ++i)
    words[i] = pattern;
}

KEVOLVE_WIDEST bool all_words(const uint64_t* words, size_t n, uint64_t pattern) {
  uint64_t difference = 0;
  for (size_t i = 0; i < n; ++i)
    difference |= words[i] ^ pattern;
  return difference == 0;
}

KEVOLVE_WIDEST bool same_words(const uint64_t* a, const uint64_t* b, size_t n) {
  uint64_t difference = 0;
  for (size_t i = 0; i < n; ++i)
    difference |= a[i] ^ b[i];
  return difference == 0;
}

std::array<std::byte, 8> bytes_of(uint64_t pattern) {
  std::array<std::byte, 8> out{};
  std::memcpy(out.data(), &pattern, 8);
  return out;
}

} // namespace

void paint(std::byte* base, size_t from, size_t to, uint64_t pattern) {
  const auto bytes = bytes_of(pattern);
  for (; from < to && from % 8 != 0; ++from)
    base[from] = bytes[from % 8];
  const auto whole = from < to ? (to - from) / 8 : 0;
  fill_words(reinterpret_cast<uint64_t*>(base + from), whole, pattern);
  for (from += whole * 8; from < to; ++from)
    base[from] = bytes[from % 8];
}

bool holds(const std::byte* base, size_t from, size_t to, uint64_t pattern) {
  const auto bytes = bytes_of(pattern);
  for (; from < to && from % 8 != 0; ++from)
    if (base[from] != bytes[from % 8])
      return false;
  const auto whole = from < to ? (to - from) / 8 : 0;
  if (!all_words(reinterpret_cast<const uint64_t*>(base + from), whole, pattern))
    return false;
  for (from += whole * 8; from < to; ++from)
    if (base[from] != bytes[from % 8])
      return false;
  return true;
}

bool same_bytes(const std::byte* a, const std::byte* b, size_t bytes) {
  constexpr size_t seen_at_once = size_t{16} << 10U; // a differing block need not be read to its end
  const bool aligned = reinterpret_cast<uintptr_t>(a) % 8 == 0 && reinterpret_cast<uintptr_t>(b) % 8 == 0;
  size_t from = 0;
  for (; aligned && from + seen_at_once <= bytes; from += seen_at_once)
    if (!same_words(reinterpret_cast<const uint64_t*>(a + from), reinterpret_cast<const uint64_t*>(b + from),
                    seen_at_once / 8))
      return false;
  return bytes == from || std::memcmp(a + from, b + from, bytes - from) == 0;
}

} // namespace kevolve
