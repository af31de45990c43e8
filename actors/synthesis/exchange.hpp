// The stored records of a question and its answer. Pure: makes append requests from values.
#pragma once

#include "actors/messages/messages.hpp"

#include <cstdint>
#include <string>

namespace kevolve::synthesis {

// Sets the record's turns from the question's, and returns the append request.
append_request asked(model_question& q);

struct given_answer {
  std::string text;
  std::string by;
  std::string model;
  int64_t at_ns = 0;   // wall clock, since the epoch
  bool called = false; // the answer calls tools
};
// Sets the record's answer and, with `rules`, its outcome. Returns the append request.
append_request answered(exchange_record& r, const given_answer& a, const answer_rules* rules);
// Returns the append request for a record whose lease has changed.
append_request leased(const exchange_record& r);

// Returns the receipt for a record that has its answer.
relay_receipt receipt_of(const exchange_record& r);

} // namespace kevolve::synthesis
