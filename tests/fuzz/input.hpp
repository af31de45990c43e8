// Converts a fuzzer's bytes to values.
#pragma once

#include "runtime/base/codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kevolve::fuzzing {

// Fills any inspectable value from bytes, through the same inspect() as the codec. Every input yields a value with
// short containers, and most strings are words that are valid somewhere. So mutations reach the code behind the
// decoding.
class value_source {
public:
  using result_type = bool;

  value_source(std::string_view bytes, const std::vector<std::string>& words) : in_(bytes), words_(words) {}

  template <class... Ts>
  bool operator()(Ts&... xs) {
    (get(xs), ...);
    return true;
  }

  template <class T>
  T take() {
    T x{};
    get(x);
    return x;
  }
  std::string_view rest() const { return in_; }
  bool empty() const { return in_.empty(); }

private:
  uint8_t byte() {
    if (in_.empty())
      return 0;
    auto out = static_cast<uint8_t>(in_.front());
    in_.remove_prefix(1);
    return out;
  }
  uint64_t number(size_t bytes) {
    uint64_t out = 0;
    for (size_t i = 0; i < bytes; ++i)
      out |= uint64_t{byte()} << (8 * i);
    return out;
  }

  template <class T>
  void get(T& x) {
    if constexpr (bounded_enum<T>)
      x = static_cast<T>(byte() % (static_cast<unsigned>(last_value(x)) + 1));
    else if constexpr (std::is_enum_v<T>)
      x = static_cast<T>(byte());
    else if constexpr (std::is_same_v<T, bool>)
      x = (byte() & 1U) != 0;
    else if constexpr (std::is_integral_v<T>) {
      // Small numbers are much more frequent.
      auto form = byte();
      x = static_cast<T>(form < 224 ? form % 64 : number(sizeof(T)));
    } else if constexpr (std::is_floating_point_v<T>) {
      auto form = byte();
      x = static_cast<T>(form < 224 ? form / 8.0 : std::bit_cast<double>(number(sizeof(double))));
    } else
      inspect(*this, x);
  }
  void get(std::string& x) {
    auto form = byte();
    if (form < 224 && !words_.empty()) {
      x = words_[form % words_.size()];
      return;
    }
    auto n = std::min<size_t>(byte() % 32U, in_.size());
    x = std::string{in_.substr(0, n)};
    in_.remove_prefix(n);
  }
  template <class T>
  void get(std::vector<T>& xs) {
    xs.resize(byte() % 5U);
    for (auto& x : xs)
      get(x);
  }
  template <class K, class V>
  void get(std::map<K, V>& xs) {
    for (auto n = byte() % 4U; n > 0; --n) {
      K k{};
      get(k);
      get(xs[std::move(k)]);
    }
  }
  template <class T>
  void get(std::optional<T>& x) {
    if (byte() % 2U != 0)
      get(x.emplace());
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

  std::string_view in_;
  const std::vector<std::string>& words_;
};

inline std::string_view view(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A violated property is reported like a crash.
inline void require(bool holds) {
  if (!holds)
    __builtin_trap();
}

} // namespace kevolve::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
