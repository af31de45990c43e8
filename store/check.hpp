// The part of fsck that checks records. Private to store/.
#pragma once

#include "store/database.hpp"
#include "store/fsck.hpp"

namespace kevolve {

// Checks all records and adds findings to the report; with `repair`, also repairs them.
result<void> check_records(database& db, bool repair, fsck_report& report);

} // namespace kevolve
