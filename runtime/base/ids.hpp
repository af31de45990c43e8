// 128-bit ids. A derived id is the first half of a SHA-256 over its inputs, so the same inputs give the same id after a
// restart. Random ids come from the kernel.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kevolve {

struct id128 {
  uint64_t hi = 0;
  uint64_t lo = 0;

  auto operator<=>(const id128&) const = default;
  explicit operator bool() const { return (hi | lo) != 0; }
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, id128& x) {
  return f(x.hi, x.lo);
}

// Returns 32 lower-case hexadecimal digits.
std::string to_string(const id128& x);

// Returns the first 8 digits, for people.
std::string short_string(const id128& x);

// Returns the zero id if the text is not 32 hexadecimal digits.
id128 parse_id(std::string_view text);

// Returns an id of random bits from the kernel.
id128 random_id();

// Returns an id derived from the content; `domain` keeps ids of different kinds apart.
id128 derive_id(std::string_view domain, std::string_view content);

// Returns the SHA-256 as 64 lower-case hexadecimal digits, which is the name of a blob.
std::string sha256_hex(std::string_view bytes);

} // namespace kevolve

template <>
struct std::hash<kevolve::id128> {
  size_t operator()(const kevolve::id128& x) const noexcept {
    return static_cast<size_t>(x.hi ^ (x.lo * 0x9e3779b97f4a7c15ULL));
  }
};
