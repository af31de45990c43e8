// The prompts that wait to be fetched, and their leases. A plain value; functions take the current time as an argument.
#pragma once

#include "actors/models/model_messages.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::synthesis {

class relay_queue {
public:
  // Replaces a prompt of the same id.
  void put(relay_prompt p);
  void erase(const exchange_id& id);
  const relay_prompt* find(const exchange_id& id) const;
  // Leases the prompt that has waited longest among those without a valid lease. Returns null if there is none.
  const relay_prompt* take(const relay_request& who, int64_t now_ns);
  // Ends the holder's lease. Returns false if another holder has it, or nobody does.
  bool return_resource(const exchange_id& id, const std::string& holder, int64_t now_ns);
  // Returns the prompts, the oldest first, without expired leases.
  std::vector<relay_prompt> list(int64_t now_ns) const;

private:
  std::map<std::pair<int64_t, exchange_id>, relay_prompt> waiting_; // by the time of asking
  std::map<exchange_id, int64_t> asked_;
};

bool is_held(const relay_prompt& p, int64_t now_ns);

} // namespace kevolve::synthesis
