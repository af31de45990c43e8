// Skills that homes share. schema/0005_sharing.sql holds the meaning.
#pragma once

#include "runtime/base/ids.hpp"
#include "store/postgres/membership.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::postgres {

struct shared_skill {
  id128 id;
  std::string text;   // an export of this skill alone; empty: its node withdraws it
  std::string node;   // that shared it first; read only
  int64_t number = 0; // of the change, rising; read only
};

// Stores skills of this node. A skill that another node shared first is left as it is.
result<void> share_skills(connection& c, const member& m, const std::vector<shared_skill>& all);
// Returns the skills that other nodes have shared or changed since the change of this number, in order.
result<std::vector<shared_skill>> skills_of_others(connection& c, const member& m, int64_t after, int most);

} // namespace kevolve::postgres
