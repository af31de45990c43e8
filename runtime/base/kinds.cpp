#include "runtime/base/kinds.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace kevolve {

namespace {

constexpr auto generators = std::to_array<generator_kind>({
    {.name = "transform",
     .description = "rewrites the reference by compiler moves",
     .reads_reference_c = true,
     .has_moves = true},
    {.name = "configurations", .description = "varies what other generators wrote", .varies_others_only = true},
    {.name = "llm", .description = "asks a language model of a provider", .asks_model = true, .calls_providers = true},
    {.name = "relay",
     .description = "hands prompts to a person or a program and waits for answers",
     .asks_model = true,
     .waits_for_people = true},
});

// Where two languages of candidates share an ending, a file is in the first.
constexpr auto languages = std::to_array<language_kind>({
    {.name = "c", .extension = ".c", .fence = "c", .dialect = c_dialect::c},
    {.name = "cpp",
     .extension = ".cpp",
     .fence = "cpp",
     .dialect = c_dialect::cpp,
     .other_extensions = {".cc", ".cxx"}},
    {.name = "cuda", .extension = ".cu", .fence = "cuda", .of_references = false},
    {.name = "hip", .extension = ".hip", .fence = "hip", .of_references = false},
    {.name = "triton", .extension = ".py", .fence = "python", .of_references = false},
    {.name = "pytorch", .extension = ".py", .fence = "python", .of_candidates = false, .runs_in_framework = true},
});

constexpr std::array policies{
#define KEVOLVE_POLICY(name) std::string_view{#name},
#include "runtime/base/policy_kinds.def"
#undef KEVOLVE_POLICY
};

template <class Kinds>
std::vector<std::string> names_of(const Kinds& kinds, bool (*wanted)(const typename Kinds::value_type&)) {
  std::vector<std::string> out;
  for (const auto& k : kinds)
    if (wanted(k))
      out.emplace_back(k.name);
  return out;
}

} // namespace

std::span<const generator_kind> generator_kinds() {
  return generators;
}

const generator_kind& find_generator_kind(std::string_view name) {
  static constexpr generator_kind unknown{};
  const auto* found = std::find_if(generators.begin(), generators.end(), [&](const auto& k) { return k.name == name; });
  return found == generators.end() ? unknown : *found;
}

std::span<const language_kind> language_kinds() {
  return languages;
}

namespace {

constexpr language_kind unknown_language{
    .name = {}, .extension = {}, .fence = {}, .of_candidates = false, .of_references = false};

} // namespace

const language_kind& find_language(std::string_view name) {
  const auto* found = std::find_if(languages.begin(), languages.end(), [&](const auto& k) { return k.name == name; });
  return found == languages.end() ? unknown_language : *found;
}

bool is_native(std::string_view language) {
  return find_language(language).dialect != c_dialect::none;
}

bool is_cpp(std::string_view language) {
  return find_language(language).dialect == c_dialect::cpp;
}

const language_kind& language_of_file(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto dot = name.rfind('.');
  const auto extension = dot == std::string_view::npos || dot == 0 ? std::string_view{} : name.substr(dot);
  for (const auto& l : languages)
    if (l.of_candidates && !extension.empty()
        && (l.extension == extension
            || std::find(l.other_extensions.begin(), l.other_extensions.end(), extension) != l.other_extensions.end()))
      return l;
  return unknown_language;
}

std::span<const std::string_view> policy_kinds() {
  return policies;
}

std::vector<std::string> generator_kind_names() {
  return names_of(generators, [](const generator_kind&) { return true; });
}

std::vector<std::string> candidate_language_names() {
  return names_of(languages, [](const language_kind& l) { return l.of_candidates; });
}

std::vector<std::string> reference_language_names() {
  return names_of(languages, [](const language_kind& l) { return l.of_references; });
}

std::vector<std::string> policy_kind_names() {
  return {policies.begin(), policies.end()};
}

std::vector<std::string> behaviour_axis_names() {
  return {behaviour_axis_kinds.begin(), behaviour_axis_kinds.end()};
}

std::string comma_list(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace kevolve
