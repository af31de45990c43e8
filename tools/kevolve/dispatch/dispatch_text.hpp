// The output of `kevolve dispatch`.
#pragma once

#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/dispatch/dispatch_judging.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct dispatch_result {
  std::string campaign;
  std::string flags;
  judged_kernels kernels;
  dispatch::proof proof;
  dispatch::regression_rule rule;
  dispatch::against_single single; // made if the proof holds
  size_t own_shapes = 0;           // number of the task's own shapes, which come first
  size_t probes = 0;               // number of shapes beyond them, which come last; the others lie between
  std::string kept_because;        // reason for not handing out the fastest kernel alone; empty: none
  std::string out;                 // path of the written source; empty: none
  std::string bundle;              // folder of the bundle; empty: none

  // Tells if the fastest kernel alone is handed out, because the dispatcher loses to it and nothing speaks against
  // that.
  bool hands_out_single() const { return proof.holds() && single.loses() && kept_because.empty(); }
  const std::string& source() const {
    return hands_out_single() ? kernels.kernels[single.kernel].source : proof.source;
  }
};

// The contents of the file that is handed out, with its judgement.
struct handed_out {
  std::vector<dispatch::region_row> regions;
  const dispatch::judgement* judged = nullptr;
  std::vector<dispatch::choice> runs; // by shape
  std::vector<size_t> kernels;        // indices
};
handed_out contents_of(const dispatch_result& r);

// Returns why all sessions were disturbed; empty if one was not.
std::string disturbance_of(const dispatch::judgement& j);

json dispatch_json(const dispatch_result& r, const contract& task);

// Returns two tables, the kernel for each region of sizes and the judgement of each shape, and what was concluded.
std::string dispatch_text(const dispatch_result& r, const contract& task);

} // namespace kevolve
