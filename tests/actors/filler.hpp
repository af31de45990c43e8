// Fills any inspectable value with distinct, non-default contents and counts fields. Tests use it to check that every
// field of every message survives serialisation.
#pragma once

#include "actors/messages/messages.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/measurement.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kevolve {

class filler {
public:
  using result_type = bool;

  explicit filler(caf::actor someone) : someone_(std::move(someone)) {}

  template <class... Ts>
  bool operator()(Ts&... xs) {
    (put(xs), ...);
    return true;
  }

private:
  template <class T>
  void put(T& x) {
    ++last_;
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>)
      x = static_cast<T>(1);
    else if constexpr (std::is_arithmetic_v<T>)
      x = static_cast<T>(last_ % 120);
    else if constexpr (std::is_same_v<T, caf::actor>)
      x = someone_;
    else
      inspect(*this, x);
  }
  void put(std::string& x) { x = "text " + std::to_string(++last_) + std::string(1, '\0') + "\xff"; }
  template <class E>
  void put(stored_as_text<E>& x) {
    x.value = static_cast<E>(1);
  }
  template <class T>
  void put(std::vector<T>& xs) {
    xs.resize(2);
    for (auto& x : xs)
      put(x);
  }
  template <class K, class V>
  void put(std::map<K, V>& xs) {
    for (int i = 0; i < 2; ++i) {
      K k{};
      put(k);
      put(xs[k]);
    }
  }
  template <class A, class B>
  void put(std::pair<A, B>& x) {
    put(x.first);
    put(x.second);
  }
  template <class T>
  void put(std::optional<T>& x) {
    put(x.emplace());
  }

  uint64_t last_ = 0;
  caf::actor someone_;
};

// Like encode(), but accepts values with actor handles.
class printer {
public:
  using result_type = bool;

  template <class... Ts>
  bool operator()(Ts&... xs) {
    (put(xs), ...);
    return true;
  }
  std::string out;

private:
  template <class T>
  void put(T& x) {
    if constexpr (std::is_same_v<T, caf::actor>)
      out += "actor " + std::to_string(x ? x.id() : 0) + ";";
    else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>)
      visit(x);
    else
      out += encode(x);
  }
  template <class T>
  void visit(T& x) {
    inspect(*this, x);
  }
  template <class T>
  void visit(std::vector<T>& xs) {
    out += encode(static_cast<uint32_t>(xs.size()));
    for (auto& x : xs)
      put(x);
  }
  template <class K, class V>
  void visit(std::map<K, V>& xs) {
    out += encode(static_cast<uint32_t>(xs.size()));
    for (auto& [k, v] : xs) {
      auto key = k;
      put(key);
      put(v);
    }
  }
  template <class A, class B>
  void visit(std::pair<A, B>& x) {
    put(x.first);
    put(x.second);
  }
};

template <class T>
std::string print(T x) {
  printer p;
  p(x);
  return std::move(p.out);
}

// Counts the fields that inspect() visits at the top level.
struct field_counter {
  using result_type = size_t;
  template <class... Ts>
  size_t operator()(Ts&...) {
    return sizeof...(Ts);
  }
};

// Counts the fields of an aggregate: the longest list of initialisers that it accepts.
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
struct any_field {
  template <class T>
    requires(!is_optional<T>) // an optional is made from its value; otherwise two conversions would match
  operator T() const;         // NOLINT: implicit on purpose, never called
};
template <class T, class... Fields>
constexpr size_t aggregate_size() {
  if constexpr (requires { T{Fields{}..., any_field{}}; })
    return aggregate_size<T, Fields..., any_field>();
  else
    return sizeof...(Fields);
}

// Returns the number of fields of a type with those of the measurement that it derives from, which the aggregate counts
// as one.
template <class T>
constexpr size_t field_count() {
  constexpr size_t interval = aggregate_size<speedup_interval>();
  constexpr size_t with_score = interval + aggregate_size<score>() - 1;
  constexpr size_t with_words = with_score + aggregate_size<measurement>() - 1;
  if constexpr (std::is_same_v<T, champion_info>)
    return interval + 3; // has a constructor: it begins as the reference
  else if constexpr (std::is_same_v<T, amendment_record>)
    return aggregate_size<T>() - 1 + with_words - 1; // `estimate` is not stored: an amendment is none
  else if constexpr (std::is_base_of_v<measurement, T>)
    return aggregate_size<T>() - 1 + with_words;
  else if constexpr (std::is_base_of_v<score, T>)
    return aggregate_size<T>() - 1 + with_score;
  else if constexpr (std::is_base_of_v<speedup_interval, T>)
    return aggregate_size<T>() - 1 + interval;
  else
    return aggregate_size<T>();
}

} // namespace kevolve
