// A move and a genome as text and as values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::transform {

// One step of a genome: "tile(L1,64)".
struct move {
  std::string name;
  std::vector<std::string> args;

  bool operator==(const move&) const = default;
};

// The moves that make a candidate of the reference, in order.
using genome = std::vector<move>;

std::string to_string(const move& m);
std::string to_string(const genome& moves); // "tile(L1,64); flags(Ofast)"
// Returns nothing if the text is no genome. Moves under former names get the names that they have today.
std::optional<genome> parse_genome(std::string_view text);
// Returns the genome with today's names; a text without former names comes back as it is.
std::string with_present_names(const std::string& text);

} // namespace kevolve::transform
