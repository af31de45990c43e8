// Copies the readable part of a database with damaged files. Private to store/.
#pragma once

#include "store/database.hpp"

#include <cstdint>

namespace kevolve {

struct salvage_count {
  uint64_t copied = 0;
  uint64_t unreadable_stretches = 0;
};

// Copies into an empty database. Records are copied unchanged; fsck checks them later.
result<salvage_count> salvage(database& from, database& to);

} // namespace kevolve
