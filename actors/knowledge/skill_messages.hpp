// The requests to the book of skills, and its answers. Plain values.
#pragma once

#include "actors/knowledge/skill.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// The skills that a person wants to see; an empty field admits all.
struct skill_query {
  std::string state; // text of a skill_state
  std::string target;
  std::string family;
  std::string task;  // of the provenance
  uint32_t most = 0; // 0: all
};

// A skill with the figures that follow from its applications at this moment.
struct weighed_skill {
  skill what;
  double weight = 0.0;    // what it is offered by, where its conditions hold
  double gain = 0.0;      // mean of the posterior of the log gain
  double deviation = 0.0; // its standard deviation
};

// A step for which skills are wanted.
struct skill_situation {
  std::vector<std::string> signals; // "family:matmul": of the campaign and of the step
  bool moves = true;                // skills with moves, for the embedded generator; false: with words, for a model
  uint64_t seed = 0;                // of the step: chooses which hypotheses are tried
  uint32_t most = 6;
};

// A measured application of a skill.
struct skill_use {
  id128 skill;
  skill_application what;
};

// A confirmed gain that a model is asked to put into words.
struct gain_texts {
  uint64_t child = 0;
  std::string summary; // of the child
  std::string before;  // the lines that differ, or the whole source
  std::string after;
  bool whole = false;               // sources: their difference is too large to be one step
  std::vector<std::string> signals; // "family:matmul": of the step
  double log_gain = 0.0;
};
// Its step as the model puts it.
struct worded_step {
  skill_step step;
  std::string pattern;
};

// The result of an import.
struct skill_import {
  uint64_t added = 0;
  uint64_t known = 0;               // their applications were not taken over again
  std::vector<std::string> refused; // a line each: the id, and why
};

template <class I>
typename I::result_type inspect(I& f, skill_query& x) {
  return f(x.state, x.target, x.family, x.task, x.most);
}
template <class I>
typename I::result_type inspect(I& f, weighed_skill& x) {
  return f(x.what, x.weight, x.gain, x.deviation);
}
template <class I>
typename I::result_type inspect(I& f, skill_situation& x) {
  return f(x.signals, x.moves, x.seed, x.most);
}
template <class I>
typename I::result_type inspect(I& f, skill_use& x) {
  return f(x.skill, x.what);
}
template <class I>
typename I::result_type inspect(I& f, gain_texts& x) {
  return f(x.child, x.summary, x.before, x.after, x.whole, x.signals, x.log_gain);
}
template <class I>
typename I::result_type inspect(I& f, worded_step& x) {
  return f(x.step, x.pattern);
}
template <class I>
typename I::result_type inspect(I& f, skill_import& x) {
  return f(x.added, x.known, x.refused);
}

} // namespace kevolve
