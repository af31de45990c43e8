// Planning and judging in turns, until no shape is slower than the reference.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/result.hpp"
#include "tools/kevolve/dispatch/plan.hpp"
#include "tools/kevolve/dispatch/source.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kevolve::dispatch {

// What the judge said of one source, against the reference.
struct judgement {
  bool passes = false;
  std::string why; // it does not
  figures by_shape;
  double call_overhead_ns = 0.0; // of each time in the outcome, the judge's own; 0: not known
  judge_outcome outcome;
  std::string harness, toolchain, device; // fingerprints of who judged
};

struct judging {
  std::function<result<judgement>(const std::string& source, const std::string& about)> judge;
  std::function<result<void>()> forget; // what was judged is judged anew from then on
  std::function<void(const std::string&)> tell;
};

struct proof {
  regions where;
  std::string source;
  judgement judged;
  std::vector<size_t> slower; // shapes
  std::vector<choice> runs;   // by shape
  size_t rounds = 0;          // judgements of a whole
  bool holds() const { return judged.passes && slower.empty(); }
};

// Where the judge finds the whole slower than the reference, the reference is drawn, and the new whole is judged: a few
// times. Where the reference is drawn already, the judge is asked once more; between the task's own shapes that is no
// finding. errc::not_found if no kernel is left.
result<proof> prove(const contract& task, const source_part& reference, const std::vector<source_part>& kernels,
                    const std::vector<figures>& measured, const judging& how, const between& beside = {});

} // namespace kevolve::dispatch
