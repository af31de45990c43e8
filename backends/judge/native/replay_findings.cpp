#include "backends/judge/native/replay_findings.hpp"

#include "backends/judge/object_sections.hpp"
#include "runtime/base/printable.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

namespace kevolve {

namespace {

constexpr std::array<std::string_view, 5> run_time_names{"__asan_", "__ubsan_", "__sanitizer_", "__lsan_",
                                                         "__interceptor_"};
// By these a function is found that the object does not name.
constexpr std::array<std::string_view, 5> lookups{"dlsym", "dlvsym", "dlopen", "dlmopen", "dl_iterate_phdr"};

bool belongs_to_run_time(std::string_view name) {
  return std::any_of(run_time_names.begin(), run_time_names.end(), [&](auto p) { return name.starts_with(p); });
}

rejection evasion(std::string_view name, const std::string& doing) {
  const auto text = printable(std::string{name});
  return {verdict::cheating, rule_name::sanitizer_evasion, "it " + doing + " '" + text + "'", {{"symbol", text}}};
}

template <size_t N>
std::string bounded(const char (&text)[N]) { // NOLINT(cppcoreguidelines-avoid-c-arrays)
  return printable(std::string{text, strnlen(text, N)});
}

std::string beside(const contract& task, const wire::replay_finding& f) {
  if (f.argument == 0 || f.argument > task.arguments.size())
    return {};
  const auto& a = task.arguments[f.argument - 1U];
  return std::to_string(f.distance) + " bytes " + (f.behind != 0 ? "after" : "before") + " the " + to_string(a.role)
         + " '" + a.name + "'";
}

} // namespace

std::optional<rejection> refuse_evasion(std::string_view ordinary, std::string_view sanitised) {
  const auto names = symbols_of(ordinary);
  const auto instrumented = symbols_of(sanitised);
  if (!names || !instrumented)
    return rejection{verdict::load_error, rule_name::object_format, "the symbols of its object cannot be read", {}};
  for (const auto& s : *names) {
    if (belongs_to_run_time(s.name))
      return evasion(s.name, s.defined ? "defines the sanitizers'" : "calls the sanitizers'");
    if (!s.defined && std::find(lookups.begin(), lookups.end(), s.name) != lookups.end())
      return evasion(s.name, "looks for functions by name, with");
  }
  // An assembler label may define what the instrumentation calls.
  for (const auto& s : *instrumented)
    if (s.defined && belongs_to_run_time(s.name))
      return evasion(s.name, "defines the sanitizers'");
  return std::nullopt;
}

rejection refusal_of(const contract& task, const wire::replay_finding& f, std::string_view object) {
  rejection out;
  if (f.memory == wire::finding_of_state)
    return {verdict::wrong_result, rule_name::processor_state, bounded(f.text), {{"finding", bounded(f.key)}}};
  out.result = f.memory != 0 ? verdict::out_of_bounds : verdict::crashed;
  out.rule = f.memory != 0 ? "sanitizer" : "undefined_behaviour";
  out.evidence["tool"] = f.memory != 0 ? "AddressSanitizer" : "UndefinedBehaviorSanitizer";
  out.evidence["finding"] = bounded(f.key);
  out.detail = bounded(f.text);
  if (!out.detail.empty())
    out.detail.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(out.detail.front())));
  auto file = bounded(f.file);
  auto line = f.line;
  if (f.memory != 0)
    if (const auto place = place_in_source(object, f.code == 0 ? 0 : f.code - 1)) {
      file = printable(place->file);
      line = place->line;
    }
  if (line != 0) {
    file = file.substr(file.rfind('/') + 1);
    out.detail += " at " + file + ":" + std::to_string(line);
    out.evidence["file"] = file;
    out.evidence["line"] = std::to_string(line);
  }
  if (const auto where = beside(task, f); !where.empty()) {
    out.detail += ", " + where;
    out.evidence["argument"] = task.arguments[f.argument - 1U].name;
  }
  return out;
}

} // namespace kevolve
