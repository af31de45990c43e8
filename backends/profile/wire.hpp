// The protocol between a node, or a verb, and kevolve-profiler: one job, a progress frame before each pass, an outcome
// after it, and one end.
#pragma once

#include "runtime/base/contract.hpp"
#include "runtime/base/verdict.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Numbers that no frame of backends/protocol.hpp has.
enum class profile_frame : uint8_t { job = 64, progress, outcome, end };

// The most that a job's limit grows by the time in which others hold the core.
inline constexpr std::chrono::seconds most_wait_for_core{60};

struct profile_job {
  contract task;
  uint64_t shape = 0;
  std::string target;
  std::string source;
  std::string language;
  std::string flags;
  std::string object;
  std::map<std::string, std::string> have; // artefacts by kind
  std::vector<std::string> passes;         // in the order of the plan
  double budget_s = 2.0;                   // a pass does not start once the passes before have spent it
  uint32_t limit_ms = 120'000;             // of the whole job, without its waits for the core
  int32_t core = 0;
};

struct pass_outcome {
  std::string name;
  std::map<std::string, std::string> made; // artefacts by kind
  std::string findings;                    // JSON array of findings
  double seconds = 0.0;
  double perturbation = 0.0;
  std::string skipped; // why it made nothing; empty: it ran
  std::string remedy;
};

struct profile_end {
  fault trouble; // of the machine: nothing could be run
  std::string sandbox_level;
};

template <class I>
typename I::result_type inspect(I& f, profile_job& x) {
  return f(x.task, x.shape, x.target, x.source, x.language, x.flags, x.object, x.have, x.passes, x.budget_s, x.limit_ms,
           x.core);
}
template <class I>
typename I::result_type inspect(I& f, pass_outcome& x) {
  return f(x.name, x.made, x.findings, x.seconds, x.perturbation, x.skipped, x.remedy);
}
template <class I>
typename I::result_type inspect(I& f, profile_end& x) {
  return f(x.trouble, x.sandbox_level);
}

} // namespace kevolve
