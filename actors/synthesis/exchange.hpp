// What is stored of a question and its answer. Pure: from values to append requests.
#pragma once

#include "actors/messages/messages.hpp"

#include <cstdint>
#include <string>

namespace kevolve::synthesis {

// Sets the record's turns from the question's.
append_request asked(model_question& q);

struct given_answer {
  std::string text;
  std::string by;
  std::string model;
  int64_t at_ns = 0;   // wall clock, since the epoch
  bool called = false; // tools
};
// Sets the record's answer; with `rules`, what it holds as well.
append_request answered(exchange_record& r, const given_answer& a, const answer_rules* rules);
// The record alone: its lease has changed.
append_request leased(const exchange_record& r);

// What to tell of a record that has its answer.
relay_receipt receipt_of(const exchange_record& r);

} // namespace kevolve::synthesis
