// The report on the node to improve: its bottleneck, the strategy against it, deferred findings, and failed attempts
// that must not be repeated. It is computed from measurements, not by a model.
#pragma once

#include "runtime/base/verdict.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::synthesis {

// One problem with its evidence. `weight` is the share of the time, or of the failure, that it explains, 0 to 1.
struct finding {
  std::string problem;
  std::string evidence; // may be foreign text: the prompt quotes it
  std::string strategy;
  double weight = 0.0;
  std::vector<std::string> topics; // words by which documents about it are found
  std::string bound{};             // name of the bottleneck, in the judge's or the profiler's words; empty: none
};

// A step from the same node, or from one above it.
struct attempt {
  uint64_t node = 0;
  std::string tactic; // the candidate's own summary
  verdict result = verdict::none;
  double gain = 0.0; // its fitness relative to that of its parent; 0 unless both passed
  bool from_reference = false;
  uint64_t same_as = 0; // the candidate with the same bytes, which was judged; 0: none
};

// The figures of the candidate's shape that comes closest to a peak of the hardware. 0: unknown.
struct roofline_facts {
  double flops = 0.0;
  double bytes = 0.0;
  double seconds = 0.0;
  double peak_flops = 0.0; // per second
  double peak_bytes = 0.0;
};

struct report_facts {
  verdict result = verdict::none; // none: there is no candidate yet, only the reference
  std::string detail;             // the judge's words
  double speedup = 0.0;
  roofline_facts roofline;
  std::vector<finding> profiled; // from a profiler, if there is one
  std::string code_notes;        // notable features of its machine code
  std::vector<attempt> attempts; // oldest first
};

struct memory_report {
  std::string code_notes;
  std::vector<finding> findings; // the dominant one first; the others are deferred
  std::vector<attempt> failed;   // newest first, each tactic once
  std::vector<attempt> neutral;  // newest first, each tactic once: no measurable difference in screenings
  std::vector<attempt> helped;   // best first
  std::vector<attempt> repeated; // newest first: the same bytes as an earlier candidate, so nothing was learnt
};

memory_report make_report(const report_facts& facts);
// Returns the dominant bottleneck reported by the judge (evidence "bound") as a finding; none for an unknown word.
std::vector<finding> finding_of_bound(const std::string& bound, const std::string& why);
// Returns the report as text for a prompt. Foreign text in it is quoted.
std::string report_text(const memory_report& r);

} // namespace kevolve::synthesis
