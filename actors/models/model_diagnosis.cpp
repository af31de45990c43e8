#include "actors/models/model_diagnosis.hpp"

#include "actors/synthesis/diagnosis_question.hpp"
#include "backends/llm/protocol/tokens.hpp"
#include "config/campaign.hpp"

#include <algorithm>

namespace kevolve {

bool wants_diagnosis(const model_generator_state& st, const model_generator_state::work& w) {
  return st.diagnosis_tokens > 0 && !w.diagnosed && synthesis::can_diagnose(w.facts);
}

void ask_diagnosis(const model_generator_state& st, model_generator_state::work& w) {
  auto p = synthesis::ask_for_diagnosis(w.facts);
  auto& q = w.question;
  q = {};
  q.record.id = {st.context->id, w.step.index, st.place, diagnosis_round};
  q.record.purpose = diagnosis_purpose;
  q.turns = {{"system", std::move(p.system)}, {"user", std::move(p.user)}};
  q.terms = st.terms;
  q.terms.reply_tokens = st.diagnosis_tokens;
}

void take_diagnosis(const model_generator_state& st, model_generator_state::work& w, const std::string& reply) {
  constexpr size_t most_added = 2; // sections
  w.diagnosed = true;
  const auto d = synthesis::read_diagnosis(reply);
  synthesis::add_diagnosis(w.facts, d);
  if (d.problem.empty() || st.knowledge == nullptr || w.facts.retrievals.empty())
    return;
  knowledge::retrieval_request wanted;
  wanted.reason = diagnosis_purpose;
  for (const auto& text : w.facts.retrievals.front().signals)
    if (const auto s = knowledge::parse_signal(text))
      wanted.signals.push_back(*s);
  wanted.text = d.problem;
  for (const auto& words : d.look_up)
    wanted.text += " " + words;
  wanted.words_alone = true;
  wanted.tokens = st.budgets.documents;
  for (const auto& s : w.facts.documents) {
    wanted.tokens -= llm::estimate_tokens(s.title) + llm::estimate_tokens(s.text);
    wanted.known.push_back(s.title);
  }
  wanted.most_sections = most_added;
  auto found = knowledge::retrieve(*st.knowledge, wanted);
  for (auto& s : found.sections)
    w.facts.documents.push_back(std::move(s));
  w.facts.retrievals.push_back(std::move(found.trace));
}

} // namespace kevolve
