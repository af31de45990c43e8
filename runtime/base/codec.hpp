// A compact binary encoding for records, helper protocols and content hashes. A type takes part through the same
// inspect(Inspector&, T&) that the actor framework uses, so a struct lists its fields once.
// Integers are little-endian and of fixed width, doubles are IEEE; strings and containers carry a u32 length.
// If an enumeration has a function last_value(E) beside it, decoding refuses larger values; otherwise it takes any.
// Field types: integers, bool, enums, float, double, string, vector, map, pair, array, optional, inspectable structs.
#pragma once

#include "runtime/base/result.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kevolve {

class encoder {
public:
  using result_type = bool;

  template <class... Ts>
  bool operator()(const Ts&... xs) {
    (put(xs), ...);
    return true;
  }

  std::string take() { return std::move(out_); }

private:
  template <class T>
  void put(const T& x) {
    if constexpr (std::is_enum_v<T>)
      put(static_cast<std::underlying_type_t<T>>(x));
    else if constexpr (std::is_same_v<T, bool>)
      put(static_cast<uint8_t>(x));
    else if constexpr (std::is_integral_v<T>) {
      auto u = static_cast<std::make_unsigned_t<T>>(x);
      std::array<char, sizeof(T)> bytes{};
      for (size_t i = 0; i < sizeof(T); ++i)
        bytes[i] = static_cast<char>((static_cast<uint64_t>(u) >> (8 * i)) & 0xffU);
      out_.append(bytes.data(), bytes.size());
    } else if constexpr (std::is_same_v<T, double>)
      put(std::bit_cast<uint64_t>(x));
    else if constexpr (std::is_same_v<T, float>)
      put(std::bit_cast<uint32_t>(x));
    else
      inspect(*this, const_cast<T&>(x)); // inspect takes T& so that one function serves both directions
  }
  void put(const std::string& x) {
    put(static_cast<uint32_t>(x.size()));
    out_ += x;
  }
  template <class T>
  void put(const std::optional<T>& x) {
    put(x.has_value());
    if (x)
      put(*x);
  }
  template <class T>
  void put(const std::vector<T>& xs) {
    put(static_cast<uint32_t>(xs.size()));
    for (const auto& x : xs)
      put(x);
  }
  void put(const std::vector<bool>&) = delete;
  template <class K, class V>
  void put(const std::map<K, V>& xs) {
    put(static_cast<uint32_t>(xs.size()));
    for (const auto& [k, v] : xs) {
      put(k);
      put(v);
    }
  }
  template <class A, class B>
  void put(const std::pair<A, B>& x) {
    put(x.first);
    put(x.second);
  }
  template <class T, size_t N>
  void put(const std::array<T, N>& xs) {
    for (const auto& x : xs)
      put(x);
  }

  std::string out_;
};

template <class T>
concept bounded_enum = std::is_enum_v<T> && requires(T x) { last_value(x); };

// Reads the output of an encoder. After the first short read every field is zero and ok() is false.
class decoder {
public:
  using result_type = bool;

  explicit decoder(std::string_view in) : in_(in) {}

  template <class... Ts>
  bool operator()(Ts&... xs) {
    ++depth_;
    (get_field(xs), ...);
    --depth_;
    return ok_;
  }

  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }
  // Accepts records of an older writer: missing fields at the end of the outermost struct keep their defaults.
  void expect_older() { older_ = true; }

private:
  // Depth 1 is the value that decode() reads; depth 2 is one of its fields.
  template <class T>
  void get_field(T& x) {
    if (older_ && depth_ == 2 && in_.empty())
      return;
    get(x);
  }

  template <class T>
  void get(T& x) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> u{};
      get(u);
      if constexpr (bounded_enum<T>)
        if (u > static_cast<std::underlying_type_t<T>>(last_value(x))) {
          ok_ = false;
          u = {};
        }
      x = static_cast<T>(u);
    } else if constexpr (std::is_same_v<T, bool>) {
      uint8_t u = 0;
      get(u);
      x = u != 0;
    } else if constexpr (std::is_integral_v<T>) {
      uint64_t u = 0;
      auto bytes = take(sizeof(T));
      for (size_t i = 0; i < bytes.size(); ++i)
        u |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
      x = static_cast<T>(u);
    } else if constexpr (std::is_same_v<T, double>) {
      uint64_t u = 0;
      get(u);
      x = std::bit_cast<double>(u);
    } else if constexpr (std::is_same_v<T, float>) {
      uint32_t u = 0;
      get(u);
      x = std::bit_cast<float>(u);
    } else
      inspect(*this, x);
  }
  void get(std::string& x) {
    uint32_t n = 0;
    get(n);
    x = std::string{take(n)};
  }
  template <class T>
  void get(std::optional<T>& x) {
    uint8_t there = 0;
    get(there);
    x.reset();
    ok_ = ok_ && there <= 1;
    if (ok_ && there == 1)
      get(x.emplace());
  }
  template <class T>
  void get(std::vector<T>& xs) {
    uint32_t n = 0;
    get(n);
    xs.clear();
    // A hostile length cannot make us allocate, because every element costs at least one byte of input.
    for (uint32_t i = 0; i < n && ok_; ++i) {
      if (in_.empty()) {
        ok_ = false;
        return;
      }
      get(xs.emplace_back());
    }
  }
  template <class K, class V>
  void get(std::map<K, V>& xs) {
    uint32_t n = 0;
    get(n);
    xs.clear();
    for (uint32_t i = 0; i < n && ok_; ++i) {
      K k{};
      get(k);
      get(xs[std::move(k)]);
    }
  }
  template <class A, class B>
  void get(std::pair<A, B>& x) {
    get(x.first);
    get(x.second);
  }
  template <class T, size_t N>
  void get(std::array<T, N>& xs) {
    for (auto& x : xs)
      get(x);
  }
  std::string_view take(size_t n) {
    if (n > in_.size()) {
      ok_ = false;
      in_ = {};
      return {};
    }
    auto out = in_.substr(0, n);
    in_.remove_prefix(n);
    return out;
  }

  std::string_view in_;
  bool ok_ = true;
  bool older_ = false;
  int depth_ = 0;
};

template <class T>
std::string encode(const T& x) {
  encoder e;
  e(x);
  return e.take();
}

// Decodes a T; errc::corrupt if the bytes are too short or too long for it.
template <class T>
result<T> decode(std::string_view bytes) {
  decoder d{bytes};
  T x{};
  d(x);
  if (!d.ok() || !d.at_end())
    return fail(errc::corrupt, "record of " + std::to_string(bytes.size()) + " bytes does not decode");
  return x;
}

// Decodes a T whose type has gained fields at its end since some records were written; errc::corrupt as for decode().
template <class T>
result<T> decode_older(std::string_view bytes) {
  decoder d{bytes};
  d.expect_older();
  T x{};
  d(x);
  if (bytes.empty() || !d.ok() || !d.at_end())
    return fail(errc::corrupt, "record of " + std::to_string(bytes.size()) + " bytes does not decode");
  return x;
}

} // namespace kevolve
