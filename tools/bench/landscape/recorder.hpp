// Records a landscape: proposes by uniform expansion, compiles ahead in a thread, and screens each candidate against
// the reference by the judge. Every line is on disk before the next candidate begins, so that a record goes on where
// it was stopped.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace kevolve::bench {

struct record_options {
  std::string bin;         // folder of the helper programs
  std::string task;        // task file
  std::string out;         // the record; while it grows, its text is beside it with the ending ".part"
  double seconds = 180.0;  // of this call
  uint64_t candidates = 0; // of the record; 0: any number
  uint64_t seed = 1;
  bool plans = false;
  uint32_t again = 16;        // of the fastest are measured a second time
  uint32_t compilers = 2;     // compile servers at once
  bool keep_finished = false; // a record that stands finished at `out` is kept as it is, and nothing is measured
  double bound_s = 0.0;       // budget of a profile of each candidate, for what bounds it; 0: none is profiled
  // Replaces the declared shapes by the first of them with these sizes: a small one is measured quickly. Empty: none is
  // replaced.
  std::map<std::string, int64_t> sizes;
};

// Returns how many candidates the record holds.
result<uint64_t> record_landscape(const record_options& options);

} // namespace kevolve::bench
