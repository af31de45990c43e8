// Logging for the whole project. It hides spdlog behind one function, so that few files pay for its headers.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kevolve::log {

enum class level : uint8_t { trace, debug, info, warn, error, off };

struct options {
  level threshold = level::info;
  bool json = false; // one JSON object a line
  std::string file;  // empty: stderr
};

// Sets the sink, the format and the threshold of all later lines.
void configure(const options& o);
// Opens the file again after it was moved away.
void reopen();

// The ids that a log line is about. While a scope lives, the lines of its thread carry them.
struct ids {
  std::string campaign{};
  std::string node{};
  uint64_t actor = 0;
  std::string request{};
};
class scope {
public:
  explicit scope(ids x);
  ~scope();
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

private:
  ids former_;
};

bool enabled(level l);
// Writes one line with the ids of the thread's scopes.
void write(level l, std::string_view component, std::string_view text);
void flush();

template <class... Ts>
void print(level l, std::string_view component, fmt::format_string<Ts...> text, Ts&&... xs) {
  if (enabled(l))
    write(l, component, fmt::format(text, std::forward<Ts>(xs)...));
}
template <class... Ts>
void info(std::string_view component, fmt::format_string<Ts...> text, Ts&&... xs) {
  print(level::info, component, text, std::forward<Ts>(xs)...);
}
template <class... Ts>
void warn(std::string_view component, fmt::format_string<Ts...> text, Ts&&... xs) {
  print(level::warn, component, text, std::forward<Ts>(xs)...);
}
template <class... Ts>
void error(std::string_view component, fmt::format_string<Ts...> text, Ts&&... xs) {
  print(level::error, component, text, std::forward<Ts>(xs)...);
}
template <class... Ts>
void debug(std::string_view component, fmt::format_string<Ts...> text, Ts&&... xs) {
  print(level::debug, component, text, std::forward<Ts>(xs)...);
}

} // namespace kevolve::log
