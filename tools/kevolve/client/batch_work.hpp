// Implements `kevolve batch work`: judges a batch on a machine that has only kevolve's programs.
#pragma once

#include "backends/target.hpp"
#include "config/node.hpp"
#include "tools/kevolve/verbs.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

struct batch_work_options {
  common_options common;
  std::string file;
  std::string out;  // empty: file + ".done"
  std::string data; // empty: file + ".work", removed when all is judged
  std::string wall; // empty: until all is judged
  int64_t compilers = 0;
  int64_t at_once = 1; // batches of a folder: while one compiles, the device judges another
  int64_t disk_reserve_mib = usual_disk_reserve_mib;
  target_options target;
};

int work_on_batch(const batch_work_options& o);

} // namespace kevolve
