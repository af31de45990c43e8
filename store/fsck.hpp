// Finds damage in a store that is not in use, and mends what can be mended. Damaged records move to the quarantine
// table; a damaged event leaves a stand-in of kind lost_event_kind, so that the sequences stay whole.
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
  bool repair = false; // else nothing is written
  rocksdb::Env* env = nullptr;
};

struct fsck_finding {
  std::string where; // "nodes/0123…", or a file
  std::string what;
  std::string done; // empty without repair
};

struct fsck_report {
  uint64_t records = 0; // read, good or bad
  uint64_t quarantined_before = 0;
  std::vector<fsck_finding> findings;
};

// errc::conflict while a process has the directory; errc::newer_format leaves newer data alone. Damage is no
// failure: it is in the report.
result<fsck_report> fsck(const std::string& data_dir, const fsck_options& options = {});

struct rescue_report {
  fsck_report report;
  std::string copy; // the data directory that was made; empty: there was nothing to mend
};

// Finds damage and, if there is any, mends a copy in a new directory beside `data_dir`, which stays as it is.
result<rescue_report> rescue(const std::string& data_dir);

} // namespace kevolve
