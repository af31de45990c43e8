// Figures of documents: the steps whose prompts quoted them, and how these ended. They are computed from the stored
// traces of retrieval and the records of the candidates.
#pragma once

#include "actors/messages/exchange_records.hpp"
#include "actors/messages/records.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/json.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace kevolve {

class store;

struct document_figure {
  uint64_t steps = 0; // finished steps whose prompt quoted the document
  uint64_t valid = 0; // of them, those whose candidate passed
  // The largest measured speed-up of such a candidate over its faster parent, and the candidate. 0: none was measured.
  double best_gain = 0.0;
  id128 campaign;
  uint64_t candidate = 0;
};

struct document_figures {
  std::map<std::string, document_figure> documents; // by id
  uint64_t exchanges = 0;                           // that were read
  bool complete = true;                             // false: there are more, which were not read
};

// Returns the ids of the documents whose sections the prompt quotes.
std::set<std::string> quoted_documents(const exchange_record& asked);

// Counts one finished step for each document that it quoted. `parent_speedup` is that of its fastest parent; the
// reference has 1. A step without a verdict ended by a fault of the machine and is not counted.
void count_step(document_figures& into, const std::set<std::string>& quoted, const node_record& child,
                const id128& campaign, double parent_speedup);

// Reads at most `most` exchanges with models from the store, and the candidates that they made.
result<document_figures> read_document_figures(const store& data, uint64_t most);

json to_json(const document_figures& x);

} // namespace kevolve
