#include "backends/judge/library_allowance.hpp"

#include "runtime/base/printable.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace kevolve {

namespace {

constexpr std::array always{
    std::string_view{"libc.so.6"},     std::string_view{"libm.so.6"},      std::string_view{"libmvec.so.1"},
    std::string_view{"libgcc_s.so.1"}, std::string_view{"libstdc++.so.6"},
};
constexpr std::string_view loader = "ld-linux";
constexpr std::array of_threads{
    std::string_view{"libomp.so.5"},
    std::string_view{"libgomp.so.1"},
    std::string_view{"libpthread.so.0"},
};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "openblas" matches libopenblas.so and libopenblas.so.0.
bool is_version_of(std::string_view name, const std::string& listed) {
  const auto file = "lib" + listed + ".so";
  return name == listed || name == file || name.starts_with(file + ".");
}

// Names come from the object, so they are quoted; a name may be empty.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names)
    out += (out.empty() ? "'" : ", '") + printable(name) + "'";
  return out;
}

} // namespace

bool library_allowed(const contract& task, std::string_view name) {
  if (name.empty() || name.find('/') != std::string_view::npos)
    return false;
  if (contains(always, name) || (name.starts_with(loader) && name.find(".so.") != std::string_view::npos))
    return true;
  if (task.threads && contains(of_threads, name))
    return true;
  return std::any_of(task.libraries.begin(), task.libraries.end(),
                     [&](const auto& library) { return is_version_of(name, library); });
}

std::optional<object_refusal> refuse_object(const contract& task, std::string_view bytes) {
  auto object = read_elf_object(bytes);
  if (!object)
    return object_refusal{rule_name::object_format, object.error().detail, {{"bytes", std::to_string(bytes.size())}}};
  std::vector<std::string> refused;
  std::copy_if(object->needed.begin(), object->needed.end(), std::back_inserter(refused),
               [&](const auto& name) { return !library_allowed(task, name); });
  if (refused.empty() && object->directives.empty())
    return std::nullopt;
  object_refusal out;
  out.rule = rule_name::library;
  out.evidence["needed"] = listed(object->needed);
  if (!object->directives.empty()) {
    std::vector<std::string> directives;
    for (const auto& [kind, value] : object->directives)
      directives.push_back(kind + "=" + value);
    out.evidence["directives"] = listed(directives);
    out.detail = "the object tells the dynamic loader where to look: " + out.evidence["directives"];
  }
  if (!refused.empty()) {
    out.evidence["refused"] = listed(refused);
    out.detail = "the object needs libraries that the task does not allow: " + out.evidence["refused"];
  }
  return out;
}

} // namespace kevolve
