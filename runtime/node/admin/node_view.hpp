// A candidate whole, gathered from the journal.
#pragma once

#include "runtime/node/admin/call.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Something to read: a value by family and key; of a blob the key is its digest.
struct wanted_value {
  std::string name; // under which it is found in the answer
  std::string family;
  std::string key;
};
using found_values = std::map<std::string, std::string>;

// Reads all at once; what is not there is left out. Any other failure answers the request.
void gather(const call_ptr& c, const std::vector<wanted_value>& wanted, std::function<void(const found_values&)> then);

// Answers with the node: record, source, differences to its parent and to the reference, evaluations.
void reply_node(const call_ptr& c, const id128& of, uint64_t index);

} // namespace kevolve
