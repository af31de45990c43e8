// What a model is asked and what it answers, as it is stored: how a node's source came to be, exact to the byte.
// Plain values. A new field goes at the end.
#pragma once

#include "runtime/base/ids.hpp"
#include "runtime/base/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// One question and its answer. The same node asks the same generator under the same id, however often we restart.
struct exchange_id {
  id128 campaign;
  uint64_t node = 0;
  uint32_t generator = 0; // its place in the campaign's list
  uint32_t round = 0;     // 0: the prompt; 1: the request to mend an answer that could not be read

  auto operator<=>(const exchange_id&) const = default;
};
// "<32 digits>-17-0-1", for people and paths.
std::string to_string(const exchange_id& x);
result<exchange_id> parse_exchange_id(std::string_view text);

struct turn_record {
  std::string role; // system | user | assistant
  std::string text; // blob
};
// What became of the prompt's budget.
struct part_record {
  std::string name;
  int64_t tokens = 0; // by estimate
  int64_t budget = 0;
  uint64_t left_out = 0; // bytes
};

struct exchange_record {
  exchange_id id;
  std::string kind; // of the generator: relay
  std::vector<turn_record> turns;
  std::vector<part_record> parts;
  int64_t tokens = 0;   // of the turns, by estimate
  int64_t asked_ns = 0; // wall clock, since the epoch
  // The answer.
  bool answered = false;
  std::string reply; // blob
  int64_t answered_ns = 0;
  std::string answered_by; // as they call themselves
  std::string model;       // likewise
  std::string outcome;     // "candidate", or the class of the refusal
  std::string detail;
  // The relay's lease.
  std::string holder;
  int64_t held_until_ns = 0;
  uint32_t handed_out = 0;
};

// The payload of the events about it.
struct exchange_event {
  exchange_id id;
  std::string kind;
  int64_t tokens = 0;
  std::string by;
  std::string outcome;
  std::string detail;
};

template <class I>
typename I::result_type inspect(I& f, exchange_id& x) {
  return f(x.campaign, x.node, x.generator, x.round);
}
template <class I>
typename I::result_type inspect(I& f, turn_record& x) {
  return f(x.role, x.text);
}
template <class I>
typename I::result_type inspect(I& f, part_record& x) {
  return f(x.name, x.tokens, x.budget, x.left_out);
}
template <class I>
typename I::result_type inspect(I& f, exchange_record& x) {
  return f(x.id, x.kind, x.turns, x.parts, x.tokens, x.asked_ns, x.answered, x.reply, x.answered_ns, x.answered_by,
           x.model, x.outcome, x.detail, x.holder, x.held_until_ns, x.handed_out);
}
template <class I>
typename I::result_type inspect(I& f, exchange_event& x) {
  return f(x.id, x.kind, x.tokens, x.by, x.outcome, x.detail);
}

} // namespace kevolve
