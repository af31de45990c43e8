// The trace of one retrieval from the knowledge base: what was known, which sections fitted, which were quoted and
// which were cut. It is stored with the question that quotes them. Plain values; a new field goes at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct retrieved_section {
  std::string document;             // id
  std::string heading;              // of the section
  std::vector<std::string> matched; // signals of the step that the document is about
  double signal_score = 0.0;        // first stage: of the document
  double text_score = 0.0;          // second stage: of the section, by BM25; 0: it holds no word of the query
  double score = 0.0;               // both, from 0 to 2: the order
  int64_t tokens = 0;               // by estimate
  std::string outcome;              // "quoted", or why it was cut: "budget", "enough", "document" or "known"

  bool operator==(const retrieved_section&) const = default;
};

struct retrieval_record {
  std::string reason;                      // "step", or "diagnosis": it answers what a diagnosis asked for
  std::vector<std::string> signals;        // "bound:scalar_code"
  std::string text;                        // the words of the second stage
  int64_t budget = 0;                      // in tokens
  uint64_t documents = 0;                  // in the knowledge base
  uint64_t admitted = 0;                   // for this target, language, hardware and phase
  uint64_t matched = 0;                    // of these, about at least one signal
  std::vector<retrieved_section> sections; // best first, the quoted ones and those that were cut

  bool operator==(const retrieval_record&) const = default;
};

// One problem of a parent, with the evidence for it.
struct reported_problem {
  std::string problem;
  std::string evidence;
  std::string strategy;
  double weight = 0.0;   // the share of the time, or of the failure, that it explains
  bool deferred = false; // a graver one comes first

  bool operator==(const reported_problem&) const = default;
};

// The report on the parent of a step.
struct report_record {
  std::string by;                         // "measurements", or "model": it ranked them again
  std::vector<reported_problem> problems; // the dominant one first
  std::vector<std::string> look_up;       // what a model asked to look up

  bool operator==(const report_record&) const = default;
};

template <class I>
typename I::result_type inspect(I& f, reported_problem& x) {
  return f(x.problem, x.evidence, x.strategy, x.weight, x.deferred);
}
template <class I>
typename I::result_type inspect(I& f, report_record& x) {
  return f(x.by, x.problems, x.look_up);
}
template <class I>
typename I::result_type inspect(I& f, retrieved_section& x) {
  return f(x.document, x.heading, x.matched, x.signal_score, x.text_score, x.score, x.tokens, x.outcome);
}
template <class I>
typename I::result_type inspect(I& f, retrieval_record& x) {
  return f(x.reason, x.signals, x.text, x.budget, x.documents, x.admitted, x.matched, x.sections);
}

} // namespace kevolve
