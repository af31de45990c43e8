// Copies what can still be read from a database with damaged files. Private to store/.
#pragma once

#include "store/database.hpp"

#include <cstdint>

namespace kevolve {

struct salvage_count {
  uint64_t copied = 0;
  uint64_t unreadable_stretches = 0;
};

// Into an empty database. Records go over as they are; whether each one holds is fsck's question.
result<salvage_count> salvage(database& from, database& to);

} // namespace kevolve
