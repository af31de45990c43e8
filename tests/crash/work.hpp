// The events that the committer writes and the test expects, derived from each event's number.
#pragma once

#include "store/store.hpp"

#include <string>

namespace kevolve::test {

inline id128 campaign_of(uint64_t n) {
  return {1, n % 3};
}

// Returns a payload of a few bytes to a few log blocks.
inline std::string payload_of(uint64_t n) {
  return std::to_string(n) + "/" + std::string(n * 7919 % (n % 50 == 0 ? 100000 : 900), 'p');
}

inline transaction transaction_of(uint64_t n) {
  transaction t;
  t.events.emplace_back();
  t.events[0].campaign = campaign_of(n);
  t.events[0].kind = 1;
  t.events[0].payload = payload_of(n);
  t.writes.push_back(write_op::put(table::nodes, key_of({0, n}), payload_of(n)));
  t.writes.push_back(write_op::put(table::nodes, "length", std::to_string(n)));
  t.writes.push_back(write_op::put(table::skills, key_of({1, n % 7}), payload_of(n))); // written over again and again
  return t;
}

} // namespace kevolve::test
