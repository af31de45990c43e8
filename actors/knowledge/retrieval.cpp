#include "actors/knowledge/retrieval.hpp"

#include "actors/messages/document_outcomes.hpp"
#include "backends/llm/protocol/tokens.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace kevolve::knowledge {

namespace {

// Sections beyond these are not in the trace: they had no chance.
constexpr size_t most_traced = 24;

bool has(const std::vector<std::string>& values, const std::string& x) {
  return std::find(values.begin(), values.end(), x) != values.end();
}

// Returns true if the document states none of that kind, the step shows none, or one of the step's is among them.
bool fits(const std::vector<std::string>& wanted, signal_kind kind, const std::vector<signal>& signals) {
  bool shown = false;
  for (const auto& s : signals)
    if (s.kind == kind) {
      shown = true;
      if (has(wanted, s.value))
        return true;
    }
  return wanted.empty() || !shown;
}

struct ranked_document {
  std::vector<std::string> matched;
  double score = 0.0;
};

// Ranks a document: the first stage. A signal that few documents are about says more than one that many share: the
// weight of a match falls with the share of such documents, as a word's does in BM25.
ranked_document rank(const knowledge_base& base, const document& d, const std::vector<signal>& signals) {
  ranked_document out;
  const auto all = static_cast<double>(base.documents().size());
  for (const auto& s : signals)
    if (!is_filter(s.kind) && std::find(d.signals.begin(), d.signals.end(), s) != d.signals.end()) {
      out.matched.push_back(to_string(s));
      out.score += row_of(s.kind).weight * std::log(1.0 + all / static_cast<double>(base.about(s)));
    }
  // Facts of the very target and hardware come before those of all.
  constexpr double own_target = 1.2;
  constexpr double own_hardware = 1.1;
  if (!has(d.targets, "any"))
    out.score *= own_target;
  if (!d.hardware.empty())
    out.score *= own_hardware;
  return out;
}

int64_t tokens_of(const document& d, const document_section& s) {
  constexpr int64_t of_the_marks = 24; // that a prompt puts around a quotation
  const auto q = quoted(d, s);
  return llm::estimate_tokens(q.title) + llm::estimate_tokens(q.text) + of_the_marks;
}

struct ranked_section {
  section_place place;
  retrieved_section row;
};

// Ranks the sections of the documents that match, the second stage: by both scores relative to the best of each.
std::vector<ranked_section> rank_sections(const knowledge_base& base,
                                          const std::map<size_t, ranked_document>& documents, const std::string& text) {
  double best_document = 0.0;
  for (const auto& [place, d] : documents)
    best_document = std::max(best_document, d.score);
  std::map<std::pair<size_t, size_t>, double> by_text;
  double best_text = 0.0;
  for (const auto& [place, score] : base.search(text))
    if (documents.contains(place.document)) {
      by_text[{place.document, place.section}] = score;
      best_text = std::max(best_text, score);
    }
  std::vector<ranked_section> out;
  for (const auto& [place, d] : documents)
    for (size_t s = 0; s < base.documents()[place].sections.size(); ++s) {
      const auto found = by_text.find({place, s});
      retrieved_section row;
      row.document = base.documents()[place].id;
      row.heading = base.documents()[place].sections[s].heading;
      row.matched = d.matched;
      row.signal_score = d.score;
      row.text_score = found == by_text.end() ? 0.0 : found->second;
      row.score =
          (best_document > 0.0 ? d.score / best_document : 0.0) + (best_text > 0.0 ? row.text_score / best_text : 0.0);
      if (row.score > 0.0)
        out.push_back({{place, s}, std::move(row)});
    }
  std::sort(out.begin(), out.end(), [](const ranked_section& a, const ranked_section& b) {
    if (a.row.score != b.row.score)
      return a.row.score > b.row.score;
    return std::pair{a.place.document, a.place.section} < std::pair{b.place.document, b.place.section};
  });
  return out;
}

} // namespace

bool admits(const document& d, const std::vector<signal>& signals) {
  return (has(d.targets, "any") || fits(d.targets, signal_kind::target, signals))
         && fits(d.languages, signal_kind::language, signals) && fits(d.hardware, signal_kind::hardware, signals)
         && fits(d.phases, signal_kind::phase, signals);
}

quoted_section quoted(const document& d, const document_section& s) {
  return {d.id + ": " + s.heading, s.code.empty() ? s.text : s.text + "The code that it names:\n" + s.code};
}

retrieval retrieve(const knowledge_base& base, const retrieval_request& request) {
  retrieval out;
  auto& trace = out.trace;
  trace.reason = request.reason;
  for (const auto& s : request.signals)
    trace.signals.push_back(to_string(s));
  trace.text = request.text;
  trace.budget = request.tokens;
  trace.documents = base.documents().size();
  std::map<size_t, ranked_document> admitted;
  std::map<size_t, ranked_document> matched;
  for (size_t i = 0; i < base.documents().size(); ++i) {
    const auto& d = base.documents()[i];
    if (!admits(d, request.signals))
      continue;
    auto r = rank(base, d, request.signals);
    if (r.score > 0.0)
      matched[i] = r;
    admitted[i] = std::move(r);
  }
  trace.admitted = admitted.size();
  trace.matched = matched.size();
  // Without a document about any signal, the words alone choose among those that are admitted.
  const bool by_words = matched.empty() || request.words_alone;
  if (request.words_alone)
    for (auto& [place, d] : admitted)
      d.score = 0.0;
  auto left = request.tokens;
  std::map<std::string, size_t> quoted_of;
  for (auto& s : rank_sections(base, by_words ? admitted : matched, request.text)) {
    const auto& d = base.documents()[s.place.document];
    const auto& text = base.at(s.place);
    s.row.tokens = tokens_of(d, text);
    if (has(request.known, quoted(d, text).title))
      s.row.outcome = "known";
    else if (out.sections.size() >= request.most_sections)
      s.row.outcome = "enough";
    else if (quoted_of[d.id] >= request.most_per_document)
      s.row.outcome = "document";
    else if (s.row.tokens > left)
      s.row.outcome = "budget";
    else {
      s.row.outcome = document_outcome::quoted;
      left -= s.row.tokens;
      ++quoted_of[d.id];
      out.sections.push_back(quoted(d, text));
    }
    if (trace.sections.size() < most_traced)
      trace.sections.push_back(std::move(s.row));
  }
  return out;
}

std::vector<quoted_section> search(const knowledge_base& base, const std::string& words,
                                   const std::vector<signal>& signals, int64_t tokens, size_t most) {
  std::vector<quoted_section> out;
  for (const auto& [place, score] : base.search(words)) {
    const auto& d = base.documents()[place.document];
    if (out.size() >= most)
      break;
    if (!admits(d, signals))
      continue;
    auto q = quoted(d, base.at(place));
    const auto size = llm::estimate_tokens(q.title) + llm::estimate_tokens(q.text);
    if (size > tokens)
      continue;
    tokens -= size;
    out.push_back(std::move(q));
  }
  return out;
}

} // namespace kevolve::knowledge
