// Alternates between planning and judging until every kernel is shown to be as fast as the reference at its shapes.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/result.hpp"
#include "tools/kevolve/dispatch/plan.hpp"
#include "tools/kevolve/dispatch/source.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kevolve::dispatch {

// The judgement of one source against the reference.
struct judgement {
  bool passes = false;
  std::string why;                  // reason for not passing
  std::string why_not_outside = {}; // reason for not passing at the probes
  figures by_shape;
  double call_overhead_ns = 0.0; // the judge's own time, included in each time of the outcome; 0: unknown
  judge_outcome outcome;
  std::vector<shape_timing> outside = {}; // at the probes
  interval_basis outside_basis = {};
  std::string harness, toolchain, device; // fingerprints of the judge
};

struct judging {
  // `outside`: at the probes, too.
  std::function<result<judgement>(const std::string& source, const std::string& about, bool outside)> judge;
  std::function<result<void>()> forget; // makes later calls judge everything anew
  std::function<void(const std::string&)> tell;
};

struct proof {
  regions where;
  std::string source;
  judgement judged;
  std::vector<size_t> slower; // indices of shapes that keep it from being handed out
  std::vector<choice> runs;   // by shape
  size_t rounds = 0;          // number of judgements of a whole dispatcher
  bool holds() const { return judged.passes && slower.empty(); }
};

// Plans, judges and corrects a dispatcher a few times. A kernel must be shown to be as fast as the reference at each
// shape where it runs, within the margin. Else the reference is used there, and the new dispatcher is judged. If the
// reference is used there already and is inferior to itself, the judge repeats once. At shapes that are not the task's
// own this is ignored. errc::not_found: no kernel is left.
result<proof> prove(const contract& task, const source_part& reference, const std::vector<source_part>& kernels,
                    const std::vector<figures>& measured, const judging& how, const between& beside = {});

} // namespace kevolve::dispatch
