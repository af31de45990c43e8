#include "actors/knowledge/skill_distil.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace kevolve {

namespace {

constexpr size_t most_lines = 60; // on either side
constexpr size_t most_bytes = 4'000;
// The claims of another node count together like one measurement with this error: one of this node outweighs them.
constexpr double error_of_claims = 0.15;
constexpr size_t around = 1; // lines that both sides share, so that a reader sees the place

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    out.push_back(std::move(line));
  return out;
}

std::string joined(const std::vector<std::string>& lines, size_t from, size_t to) {
  std::string out;
  for (auto i = from; i < to; ++i)
    out += lines[i] + "\n";
  return out;
}

bool is_same_place(const skill_application& a, const skill_application& b) {
  return a.campaign == b.campaign && a.candidate == b.candidate;
}

} // namespace

std::optional<skill_step> text_step(const std::string& summary, const std::string& before, const std::string& after) {
  const auto a = lines_of(before);
  const auto b = lines_of(after);
  size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head])
    ++head;
  size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  if (head + tail == a.size() && head + tail == b.size())
    return std::nullopt;
  const auto from = head - std::min(head, around);
  const auto kept = tail - std::min(tail, around);
  skill_step out{"", summary, joined(a, from, a.size() - kept), joined(b, from, b.size() - kept)};
  const auto lines = std::max(a.size(), b.size()) - kept - from;
  if (lines > most_lines || out.before.size() > most_bytes || out.after.size() > most_bytes)
    return std::nullopt;
  return out;
}

std::vector<std::string> values_of(const std::vector<std::string>& signals, const std::string& kind) {
  std::vector<std::string> out;
  for (const auto& s : signals)
    if (s.starts_with(kind + ":"))
      out.push_back(s.substr(kind.size() + 1));
  return out;
}

skill_conditions conditions_of(const std::vector<std::string>& signals, std::string pattern) {
  const auto first = [&](const char* kind) {
    const auto all = values_of(signals, kind);
    return all.empty() ? std::string{} : all.front();
  };
  return {first("target"),
          first("language"),
          values_of(signals, "family"),
          values_of(signals, "dtype"),
          values_of(signals, "hardware"),
          first("bound"),
          std::move(pattern)};
}

std::string stage_of(const skill_conditions& c) {
  const auto word = c.pattern.substr(0, c.pattern.find(';'));
  return word == "scalar" || word == "vectors" ? word : std::string{};
}

std::vector<std::string> narrowing_signals(const std::vector<std::string>& signals) {
  std::vector<std::string> out;
  for (const auto* kind : {"family", "dtype", "hardware", "bound"})
    for (const auto& v : values_of(signals, kind))
      out.push_back(std::string{kind} + ":" + v);
  return out;
}

skill distilled_skill(skill_conditions conditions, skill_step step, skill_provenance from, skill_application origin) {
  skill out;
  out.conditions = std::move(conditions);
  out.step = std::move(step);
  out.provenance = std::move(from);
  origin.is_origin = true;
  out.reason = "not measured elsewhere yet";
  out.applications.push_back(std::move(origin));
  out.id = skill_id(out);
  return out;
}

skill merged(skill known, const skill& other) {
  for (const auto& a : other.applications)
    if (std::none_of(known.applications.begin(), known.applications.end(),
                     [&](const auto& b) { return is_same_place(a, b); }))
      known.applications.push_back(a);
  return known;
}

skill as_imported(skill s, int64_t now_ns) {
  const auto claimed = s.state;
  s.id = skill_id(s);
  s.state = skill_state::hypothesis;
  s.reason = "imported; not measured here yet";
  s.not_for.clear();
  const auto error = error_of_claims * std::sqrt(static_cast<double>(s.applications.size()));
  for (auto& a : s.applications) {
    a.is_origin = true;
    a.standard_error = std::max(a.standard_error, error);
    a.time_ns = std::min(a.time_ns, now_ns); // one from the future would never age
  }
  ++s.version;
  s.history.push_back({s.version, now_ns, s.state, "imported as " + to_string(claimed), "import"});
  return s;
}

std::string offered_name(const id128& id) {
  return "skill " + short_string(id);
}

std::optional<id128> applied_skill(const std::vector<offered_skill>& given, const std::string& summary) {
  for (const auto& s : given)
    if (summary.find(offered_name(s.id)) != std::string::npos)
      return s.id;
  return std::nullopt;
}

} // namespace kevolve
