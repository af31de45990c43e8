// The context memory's report on the node that is to be improved: what bounds it, what to do about that, what comes
// later, and what failed already and is not to be tried again. Computed from measurements, not by a model.
#pragma once

#include "runtime/base/verdict.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::synthesis {

// One problem with its evidence. `weight`: how much of the time, or of the failure, it explains, 0 to 1.
struct finding {
  std::string problem;
  std::string evidence; // may be others' words: the prompt quotes it
  std::string strategy;
  double weight = 0.0;
  std::vector<std::string> topics; // what documents about it are found by
};

// A step that was taken from the same node, or from one above it.
struct attempt {
  uint64_t node = 0;
  std::string tactic; // the candidate's own summary
  verdict result = verdict::none;
  double gain = 0.0; // its fitness over that of the node it came from; 0 unless both passed
  bool from_reference = false;
};

// What a candidate's fastest shape says about the hardware. 0: not known.
struct roofline_facts {
  double flops = 0.0;
  double bytes = 0.0;
  double seconds = 0.0;
  double peak_flops = 0.0; // a second
  double peak_bytes = 0.0;
};

struct report_facts {
  verdict result = verdict::none; // none: there is no candidate yet, only the reference
  std::string detail;             // the judge's words
  double speedup = 0.0;
  roofline_facts roofline;
  std::vector<finding> profiled; // from a profiler, where there is one
  std::string code_notes;        // what stands out in its machine code
  std::vector<attempt> attempts; // oldest first
};

struct memory_report {
  std::string code_notes;
  std::vector<finding> findings; // the dominant one first; the others are deferred
  std::vector<attempt> failed;   // newest first, each tactic once
  std::vector<attempt> neutral;  // likewise: no difference that the screenings would show
  std::vector<attempt> helped;   // best first
};

memory_report make_report(const report_facts& facts);
// What the judge says holds a candidate up (evidence "bound"), as a finding; none for a word that nothing is known of.
std::vector<finding> finding_of_bound(const std::string& bound, const std::string& why);
// As it stands in a prompt. Others' words in it are quoted.
std::string report_text(const memory_report& r);
// What the dominant finding's documents are looked for by.
std::vector<std::string> search_topics(const memory_report& r);

} // namespace kevolve::synthesis
