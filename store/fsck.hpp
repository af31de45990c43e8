// Finds damage in a store that is not in use, and repairs it where possible. Damaged records move to the quarantine
// table. A damaged event is replaced by a stand-in of kind lost_event_kind, so that the sequences have no gap.
#pragma once

#include "runtime/base/result.hpp"
#include "store/transaction.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rocksdb {
class Env;
}

namespace kevolve {

struct fsck_options {
  bool repair = false; // false: nothing is written
  rocksdb::Env* env = nullptr;
};

struct fsck_finding {
  std::string where; // "nodes/0123…", or a file
  std::string what;
  std::string done; // empty without repair
};

struct fsck_report {
  uint64_t records = 0; // records read, good or bad
  uint64_t quarantined_before = 0;
  std::vector<fsck_finding> findings;
};

// Checks a data directory. errc::conflict while a process uses it; errc::newer_format leaves newer data unchanged.
// Damage is no failure: it is in the report.
result<fsck_report> fsck(const std::string& data_dir, const fsck_options& options = {});

struct rescue_report {
  fsck_report report;
  std::string copy; // the new data directory; empty if there was no damage
};

// Finds damage and, if there is any, repairs a copy in a new directory beside `data_dir`, which stays unchanged.
result<rescue_report> rescue(const std::string& data_dir);

} // namespace kevolve
