// The texts of an enumeration: one table a type, in the order of its values. A type takes part by a function
// enum_texts(E) beside it that returns its table.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace kevolve {

template <class E>
concept texted_enum = requires(E x) { enum_texts(x)[0]; };

// Returns the text of a value; empty for one that the table does not know.
template <texted_enum E>
std::string to_string(E x) {
  const auto& table = enum_texts(x);
  const auto at = static_cast<size_t>(x);
  return at < table.size() ? std::string{table[at]} : std::string{};
}

// Returns the value with that text; nothing if there is none.
template <texted_enum E>
std::optional<E> parse_enum(std::string_view text) {
  const auto& table = enum_texts(E{});
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i] == text)
      return static_cast<E>(i);
  return std::nullopt;
}

// Stores an enumeration as its text, for records that always held the text: inspect() lists it in place of the value.
// Reading a text that the table does not know leaves the first value.
template <texted_enum E>
struct stored_as_text {
  E& value;
};

template <class I, texted_enum E>
typename I::result_type inspect(I& f, stored_as_text<E>& x) {
  auto text = to_string(x.value);
  if constexpr (std::is_same_v<typename I::result_type, void>) {
    f(text);
    x.value = parse_enum<E>(text).value_or(E{});
  } else {
    auto done = f(text);
    x.value = parse_enum<E>(text).value_or(E{});
    return done;
  }
}

} // namespace kevolve
