// The full view of a candidate, gathered from the journal.
#pragma once

#include "runtime/node/admin/call.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// A value to read, by family and key; the key of a blob is its digest.
struct wanted_value {
  std::string name; // its name in the answer
  std::string family;
  std::string key;
};
using found_values = std::map<std::string, std::string>;

// Reads all values at once and calls `then` with those found, by their names. Missing ones are left out. Any other
// failure answers the request with its error, and `then` is not called.
void gather(const call_ptr& c, const std::vector<wanted_value>& wanted, std::function<void(const found_values&)> then);

// Answers with the candidate `index` of the campaign `of`; 0 is the reference. The answer has its record, source,
// differences to its parents and to the reference, and its evaluations. errc::not_found: no such campaign or candidate.
void reply_node(const call_ptr& c, const id128& of, uint64_t index);

} // namespace kevolve
