// Retrieval in two stages: the signals of a step choose documents, and their words choose sections of these within a
// budget. Pure and deterministic.
#pragma once

#include "actors/knowledge/knowledge_base.hpp"
#include "actors/messages/retrieval_record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::knowledge {

struct retrieval_request {
  std::string reason = "step";
  std::vector<signal> signals; // every kind
  std::string text;            // words that sections are ranked by
  int64_t tokens = 6'000;
  size_t most_sections = 4;
  size_t most_per_document = 2;
  bool words_alone = false;       // the first stage only admits: the words may ask for what no signal shows
  std::vector<std::string> known; // titles of sections that are quoted already
};

struct quoted_section {
  std::string title; // "cpu/float-sums: A float sum waits for itself"
  std::string text;
};

struct retrieval {
  std::vector<quoted_section> sections; // best first
  retrieval_record trace;
};

retrieval retrieve(const knowledge_base& base, const retrieval_request& request);

// Finds sections by words alone, for a person or a model that searches. With signals, documents that are not for their
// target, language or hardware are left out.
std::vector<quoted_section> search(const knowledge_base& base, const std::string& words,
                                   const std::vector<signal>& signals, int64_t tokens, size_t most = 8);

// Returns true if a document is for what the signals of the filtering kinds say; a kind without a signal admits all.
bool admits(const document& d, const std::vector<signal>& signals);

// Returns a section as it is quoted: its text, and the code that its references name.
quoted_section quoted(const document& d, const document_section& s);

} // namespace kevolve::knowledge
