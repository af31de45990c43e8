#include "runtime/base/reserved.hpp"

#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

constexpr std::array<reserved_name, 5> names{{
    {reserved_place::generator, "replay", "run a recording with kevolve replay"},
    {reserved_place::reference_language, "kernelbench", "write the reference as a PyTorch module"},
    {reserved_place::argument_setting, "alias", "buffers that overlap are not judged: leave it out"},
    {reserved_place::store_record, "snapshot", "a campaign is the fold of its events"},
    {reserved_place::trust_tier, "framework", "results are of tier device-code or native"},
}};

std::string_view words_of(reserved_place place) {
  switch (place) {
    case reserved_place::policy:
      return "policy";
    case reserved_place::generator:
      return "generator";
    case reserved_place::reference_language:
      return "reference language";
    case reserved_place::argument_setting:
      return "argument setting";
    case reserved_place::store_record:
      return "record";
    case reserved_place::trust_tier:
      return "trust tier";
  }
  return "name";
}

const reserved_name* find(reserved_place place, std::string_view name) {
  const auto* found =
      std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.place == place && n.name == name; });
  return found == names.end() ? nullptr : found;
}

} // namespace

std::span<const reserved_name> reserved_names() {
  return names;
}

bool is_reserved(reserved_place place, std::string_view name) {
  return find(place, name) != nullptr;
}

std::vector<std::string> reserved_at(reserved_place place) {
  std::vector<std::string> out;
  for (const auto& n : names)
    if (n.place == place)
      out.emplace_back(n.name);
  return out;
}

std::string not_there_yet(reserved_place place, std::string_view name, const std::vector<std::string>& instead) {
  auto out = std::string{words_of(place)} + " '" + std::string{name} + "' is not there yet";
  if (!instead.empty())
    return out + "; use one of " + comma_list(instead);
  const auto* known = find(place, name);
  return known == nullptr ? out : out + "; " + std::string{known->advice};
}

} // namespace kevolve
