#include "actors/knowledge/skill_export.hpp"

#include "actors/knowledge/skill_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kevolve {

namespace {

// Authors of changes that are no persons.
constexpr std::array<std::string_view, 3> ours{"gate", "import", "distilled"};

std::string name_for_others(const std::string& by) {
  return by.empty() || std::find(ours.begin(), ours.end(), by) != ours.end() ? by : "a person";
}

// Returns the text, or nothing if a skill with it would be refused.
std::string clean(const skill& s, const std::string& text) {
  auto probe = s;
  probe.history.clear();
  probe.reason = text;
  return refusal_of(probe).empty() ? text : std::string{};
}

} // namespace

std::vector<skill> for_others(std::vector<skill> skills) {
  std::vector<skill> out;
  for (auto& s : skills) {
    s.reason = clean(s, s.reason);
    s.provenance.by = name_for_others(s.provenance.by);
    for (auto& h : s.history) {
      h.reason = clean(s, h.reason);
      h.by = name_for_others(h.by);
    }
    if (refusal_of(s).empty())
      out.push_back(std::move(s));
  }
  return out;
}

} // namespace kevolve
