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

// Reads all values at once and leaves out missing ones. Any other failure answers the request.
void gather(const call_ptr& c, const std::vector<wanted_value>& wanted, std::function<void(const found_values&)> then);

// Answers with the node: record, source, differences to its parents and to the reference, evaluations.
void reply_node(const call_ptr& c, const id128& of, uint64_t index);

} // namespace kevolve
