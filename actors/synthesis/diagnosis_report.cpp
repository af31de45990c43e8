#include "actors/synthesis/diagnosis_report.hpp"

#include "backends/profile/bound_class.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace kevolve::synthesis {

namespace {

using nlohmann::json;

constexpr size_t most_lines = 24;      // of source
constexpr size_t most_assembly = 2400; // bytes

std::string text_in(const json& o, const char* name) {
  const auto found = o.is_object() ? o.find(name) : o.end();
  return o.is_object() && found != o.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

double number_in(const json& o, const char* name) {
  const auto found = o.is_object() ? o.find(name) : o.end();
  return o.is_object() && found != o.end() && found->is_number() ? found->get<double>() : 0.0;
}

json list_in(const json& o, const char* name) {
  const auto found = o.is_object() ? o.find(name) : o.end();
  return o.is_object() && found != o.end() && found->is_array() ? *found : json::array();
}

std::string figure(double x) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.4g", x);
  return buffer;
}

std::vector<std::string> topics_in(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

// Returns the numbered lines from the first to the last, those beyond the most left out.
std::string lines_of(const std::string& source, size_t first, size_t last) {
  std::string out;
  size_t line = 1;
  for (size_t at = 0; at < source.size() && line <= last; ++line) {
    const auto end = std::min(source.find('\n', at), source.size());
    if (line >= first && line < first + most_lines)
      out += std::to_string(line) + ": " + source.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

// Returns the loop with the largest share of the time; null if none was timed.
json hot_loop(const json& diagnosis) {
  json out = nullptr;
  for (const auto& l : list_in(diagnosis, "loops"))
    if (number_in(l, "share") > (out.is_null() ? 0.0 : number_in(out, "share")))
      out = l;
  return out;
}

std::string hot_code(const json& diagnosis, const std::string& source) {
  std::string out;
  if (const auto hot = hot_loop(diagnosis); !hot.is_null()) {
    const auto first = static_cast<size_t>(number_in(hot, "line"));
    out += "the loop that takes " + figure(100.0 * number_in(hot, "share")) + " % of the time:\n"
           + lines_of(source, first, std::max(first, static_cast<size_t>(number_in(hot, "last"))));
  }
  if (auto code = text_in(diagnosis, "assembly"); !code.empty()) {
    if (code.size() > most_assembly)
      code.resize(code.rfind('\n', most_assembly) == std::string::npos ? most_assembly
                                                                       : code.rfind('\n', most_assembly));
    out += "its machine code:\n" + code + "\n";
  }
  return out;
}

} // namespace

diagnosis_report report_of_diagnosis(const std::string& diagnosis, const std::string& source) {
  diagnosis_report out;
  const auto document = diagnosis.empty() ? json(nullptr) : json::parse(diagnosis, nullptr, false);
  if (!document.is_object())
    return out;
  constexpr double before_estimates = 1.5; // as the judge's own bound: before what the roofline infers
  for (const auto& f : list_in(document, "findings")) {
    const auto bound = parse_enum<bound_class>(text_in(f, "bound"));
    if (!bound || *bound == bound_class::unknown)
      continue;
    const auto& row = row_of(*bound);
    finding x;
    x.problem = std::string{row.words};
    x.strategy = std::string{row.strategy};
    x.topics = topics_in(row.topics);
    x.weight = before_estimates + number_in(f, "share") * number_in(f, "confidence") / 2.0;
    x.evidence = text_in(f, "words") + " (" + figure(100.0 * number_in(f, "share")) + " % of the time, confidence "
                 + figure(number_in(f, "confidence")) + ")\n";
    if (out.findings.empty())
      x.evidence += hot_code(document, source);
    out.signals.push_back("bound:" + to_string(*bound));
    out.findings.push_back(std::move(x));
  }
  return out;
}

} // namespace kevolve::synthesis
