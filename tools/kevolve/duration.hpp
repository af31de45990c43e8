// Reads a time as people write it on the command line: "90", "90s", "15m", "2h", "1d".
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace kevolve {

// Returns the seconds, above zero; nothing if the text is none of these.
inline std::optional<double> duration_in_seconds(const std::string& text) {
  double value = 0.0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !(value > 0.0))
    return std::nullopt;
  const std::string unit{end, text.data() + text.size()};
  for (const auto& [name, factor] :
       {std::pair{"", 1.0}, std::pair{"s", 1.0}, std::pair{"m", 60.0}, std::pair{"h", 3600.0}, std::pair{"d", 86400.0}})
    if (unit == name)
      return value * factor;
  return std::nullopt;
}

} // namespace kevolve
