#include "actors/synthesis/step_skills.hpp"

#include "actors/knowledge/skill_distil.hpp"
#include "backends/llm/protocol/tokens.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kevolve::synthesis {

namespace {

constexpr size_t most_quoted = 2;
constexpr int64_t of_the_marks = 24; // tokens that a prompt puts around a quotation

std::string measured(const offered_skill& s) {
  char text[200];
  std::snprintf(
      text, sizeof text,
      "Measured %u times: %.2f times as fast by the estimate from all of them, %.2f to %.2f within one standard "
      "deviation.",
      s.applications, std::exp(s.gain), std::exp(s.gain - s.deviation), std::exp(s.gain + s.deviation));
  return s.state == skill_state::hypothesis ? std::string{text} + " Not proven elsewhere yet: a trial." : text;
}

knowledge::quoted_section quoted(const offered_skill& s) {
  const auto name = offered_name(s.id);
  auto text = measured(s) + "\n";
  if (!s.step.moves.empty())
    text += "Moves of the embedded generator, where _1 and the like stand for places: " + s.step.moves + "\n";
  if (!s.pattern.empty())
    text += "The places: " + s.pattern + "\n";
  if (!s.step.before.empty())
    text += "Before:\n" + s.step.before;
  if (!s.step.after.empty())
    text += "After:\n" + s.step.after;
  text += "A candidate that applies it repeats \"" + name + "\" in its summary.\n";
  return {name + (s.step.words.empty() ? "" : ": " + s.step.words), std::move(text)};
}

} // namespace

knowledge::retrieval quoted_skills(const std::vector<offered_skill>& offered, int64_t tokens) {
  knowledge::retrieval out;
  out.trace.reason = "skills";
  out.trace.budget = tokens;
  out.trace.documents = out.trace.admitted = out.trace.matched = offered.size();
  auto in_order = offered;
  const auto is_proven = [](const offered_skill& s) { return s.state != skill_state::hypothesis; };
  std::sort(in_order.begin(), in_order.end(), [&](const offered_skill& a, const offered_skill& b) {
    if (is_proven(a) != is_proven(b))
      return is_proven(a);
    return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
  });
  const auto most = std::any_of(in_order.begin(), in_order.end(), is_proven) ? most_quoted : 1;
  const auto proven = static_cast<size_t>(std::count_if(in_order.begin(), in_order.end(), is_proven));
  for (const auto& s : in_order) {
    auto section = quoted(s);
    retrieved_section row;
    row.document = "skill/" + short_string(s.id);
    row.heading = s.step.words.empty() ? s.step.moves : s.step.words;
    row.score = s.weight;
    row.tokens = llm::estimate_tokens(section.title) + llm::estimate_tokens(section.text) + of_the_marks;
    if (out.sections.size() >= most || (proven > 0 && !is_proven(s)))
      row.outcome = "enough";
    else if (row.tokens > tokens)
      row.outcome = "budget";
    else {
      row.outcome = "quoted";
      tokens -= row.tokens;
      out.sections.push_back(std::move(section));
    }
    out.trace.sections.push_back(std::move(row));
  }
  return out;
}

} // namespace kevolve::synthesis
