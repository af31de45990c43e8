#include "actors/synthesis/step_skills.hpp"

#include "actors/knowledge/skill_distil.hpp"
#include "actors/knowledge/text_index.hpp"
#include "actors/messages/document_outcomes.hpp"
#include "backends/llm/protocol/tokens.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace kevolve::synthesis {

namespace {

constexpr size_t most_quoted = 2;
constexpr size_t most_words = 512;   // of a skill that are compared with a query
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
      row.outcome = document_outcome::quoted;
      tokens -= row.tokens;
      out.sections.push_back(std::move(section));
    }
    out.trace.sections.push_back(std::move(row));
  }
  return out;
}

std::vector<move_suggestion> suggestions_of(const std::vector<offered_skill>& offered) {
  std::vector<move_suggestion> out;
  for (const auto& s : offered)
    out.push_back({offered_name(s.id), s.step.moves, s.pattern, s.weight, s.state == skill_state::hypothesis});
  return out;
}

std::vector<knowledge::quoted_section> skills_about(const std::vector<offered_skill>& offered, const std::string& words,
                                                    int64_t tokens) {
  const auto wanted = knowledge::query_words(words);
  struct match {
    size_t words = 0;
    size_t place = 0; // in the offer, which is by weight
    knowledge::quoted_section section;
  };
  std::vector<match> found;
  for (const auto& s : offered) {
    auto section = quoted(s);
    const auto own = knowledge::query_words(
        s.step.words + " " + s.step.moves + " " + s.pattern + " " + s.step.before + " " + s.step.after, most_words);
    const auto shared = static_cast<size_t>(std::count_if(wanted.begin(), wanted.end(), [&](const auto& w) {
      return std::find(own.begin(), own.end(), w) != own.end();
    }));
    if (shared > 0)
      found.push_back({shared, found.size(), std::move(section)});
  }
  std::sort(found.begin(), found.end(),
            [](const match& a, const match& b) { return a.words != b.words ? a.words > b.words : a.place < b.place; });
  std::vector<knowledge::quoted_section> out;
  for (auto& m : found) {
    auto& section = m.section;
    const auto size = llm::estimate_tokens(section.title) + llm::estimate_tokens(section.text);
    if (size > tokens)
      continue;
    tokens -= size;
    out.push_back(std::move(section));
  }
  return out;
}

} // namespace kevolve::synthesis
