// The parts of a skill (skill.hpp): its conditions, its step, where it was applied and where it comes from. Plain
// values; a new field goes at the end.
#pragma once

#include "runtime/base/ids.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// The conditions under which the step was found. An empty value holds everywhere.
struct skill_conditions {
  std::string target;
  std::string language;
  std::vector<std::string> families; // of the operator
  std::vector<std::string> dtypes;   // of its arrays
  std::vector<std::string> hardware; // classes of the machine
  std::string bound;                 // what held the parent up
  std::string pattern; // "scalar; _1: innermost independent contiguous": the loops, or the operators of a graph

  bool operator==(const skill_conditions&) const = default;
};

// The step: moves of the embedded generator, or a pattern for models.
struct skill_step {
  std::string moves;  // "tile(_1,64); vectorise(_1,16)": _1 stands for a place that is to be found
  std::string words;  // the step in a line
  std::string before; // the least that changes
  std::string after;

  bool operator==(const skill_step&) const = default;
};

// One application that was measured in pairs against its parent.
struct skill_application {
  double log_gain = 0.0; // natural logarithm of the parent's time over the child's
  double standard_error = 0.0;
  int64_t time_ns = 0;               // wall clock
  std::vector<std::string> hardware; // classes
  id128 campaign;
  uint64_t parent = 0; // indices in that campaign
  uint64_t candidate = 0;
  std::string task;
  std::vector<std::string> signals; // "family:matmul": of the step
  std::string verdict;              // not "pass": it made a wrong candidate, and the gain is a penalty
  bool is_origin = false;           // the gain that the skill was distilled from

  bool operator==(const skill_application&) const = default;
};

struct skill_provenance {
  id128 campaign;
  std::string campaign_name;
  std::string task;
  uint64_t parent = 0; // 0: the reference
  uint64_t candidate = 0;
  std::string by; // "distilled", "model" (which worded it), "imported" or a person

  bool operator==(const skill_provenance&) const = default;
};

template <class I>
typename I::result_type inspect(I& f, skill_conditions& x) {
  return f(x.target, x.language, x.families, x.dtypes, x.hardware, x.bound, x.pattern);
}
template <class I>
typename I::result_type inspect(I& f, skill_step& x) {
  return f(x.moves, x.words, x.before, x.after);
}
template <class I>
typename I::result_type inspect(I& f, skill_application& x) {
  return f(x.log_gain, x.standard_error, x.time_ns, x.hardware, x.campaign, x.parent, x.candidate, x.task, x.signals,
           x.verdict, x.is_origin);
}
template <class I>
typename I::result_type inspect(I& f, skill_provenance& x) {
  return f(x.campaign, x.campaign_name, x.task, x.parent, x.candidate, x.by);
}

} // namespace kevolve
