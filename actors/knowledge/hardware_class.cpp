#include "actors/knowledge/hardware_class.hpp"

#include "actors/knowledge/vocabulary.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace kevolve::knowledge {

namespace {

// Families and models of processors, as CPUID and /proc/cpuinfo number them.
struct model_row {
  std::string_view name;
  int family;
  int first; // model
  int last;
};
constexpr std::array models{
    model_row{"zen3", 25, 0x00, 0x0f},           model_row{"zen4", 25, 0x10, 0x1f},
    model_row{"zen3", 25, 0x20, 0x5f},           model_row{"zen4", 25, 0x60, 0xaf},
    model_row{"zen5", 26, 0x00, 0xff},           model_row{"icelake", 6, 0x6a, 0x6a},
    model_row{"icelake", 6, 0x6c, 0x6c},         model_row{"sapphire-rapids", 6, 0x8f, 0x8f},
    model_row{"sapphire-rapids", 6, 0xcf, 0xcf}, // Emerald Rapids has the same cores
};

std::optional<int> number_after(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos)
    return std::nullopt;
  int out = 0;
  const auto rest = text.substr(at + word.size());
  if (std::from_chars(rest.data(), rest.data() + rest.size(), out).ec != std::errc{})
    return std::nullopt;
  return out;
}

} // namespace

std::vector<std::string> hardware_classes(std::string_view about) {
  std::vector<std::string> out;
  if (about.find("x86_64") != std::string_view::npos)
    out.emplace_back("x86-64");
  const auto family = number_after(about, "family ");
  const auto model = number_after(about, ", model ");
  if (family && model)
    for (const auto& m : models)
      if (m.family == *family && m.first <= *model && *model <= m.last)
        out.emplace_back(m.name);
  // The other classes are named as the vocabulary names them.
  for (const auto& name : row_of(signal_kind::hardware).values)
    if ((name.starts_with("sm_") || name.starts_with("gfx") || name.starts_with("neoverse"))
        && about.find(name) != std::string_view::npos)
      out.push_back(name);
  return out;
}

} // namespace kevolve::knowledge
