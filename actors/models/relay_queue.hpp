// The prompts that wait to be fetched, and who has fetched which until when. A value; every function is told what time
// it is.
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
  // Replaces one of the same id.
  void put(relay_prompt p);
  void erase(const exchange_id& id);
  const relay_prompt* find(const exchange_id& id) const;
  // Leases the one that has waited longest among those that nobody holds now. Null: there is none.
  const relay_prompt* take(const relay_request& who, int64_t now_ns);
  // The holder will not answer it. False: it is held by somebody else, or by nobody.
  bool return_resource(const exchange_id& id, const std::string& holder, int64_t now_ns);
  // The oldest first; a lease that has run out is not told.
  std::vector<relay_prompt> list(int64_t now_ns) const;

private:
  std::map<std::pair<int64_t, exchange_id>, relay_prompt> waiting_; // by when it was asked
  std::map<exchange_id, int64_t> asked_;
};

bool is_held(const relay_prompt& p, int64_t now_ns);

} // namespace kevolve::synthesis
