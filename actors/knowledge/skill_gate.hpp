// The gate of skills: what the measured applications say of one, and the state that follows. Pure.
#pragma once

#include "actors/knowledge/skill.hpp"
#include "runtime/base/measurement.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kevolve {

// The normal posterior of a skill's log gain.
struct skill_posterior {
  double mean = 0.0;
  double deviation = 0.0;
};

// Returns the posterior at that moment (wall clock in ns). The prior is centred on 0, and an application counts half
// after 90 days. `elsewhere`: without applications to the candidate that the skill comes from.
skill_posterior posterior_of(const skill& s, int64_t now_ns, bool elsewhere = false);

// The sums over all applications of a skill at the time of its newest one, from which the posterior of any later moment
// follows: all of them fade alike.
struct skill_evidence {
  double precision = 0.0; // of the applications, without the prior
  double sum = 0.0;       // of their log gains by precision
  int64_t newest_ns = 0;  // wall clock
};

skill_evidence evidence_of(const skill& s);
// Returns what posterior_of(s, now_ns) does, but for rounding and for moments before the newest application.
skill_posterior posterior_of(const skill_evidence& e, int64_t now_ns);
// Returns how many applications were slower beyond their noise.
double contradictions_of(const skill& s);

// Returns what a skill is offered by where its conditions hold: the mean of the posterior, from 0 up. It is halved for
// a hypothesis, and lowered by every application that was slower beyond its noise.
double weight_of(const skill& s, int64_t now_ns);

// Tells if the application was on another candidate or operator than the skill comes from.
bool is_elsewhere(const skill& s, const skill_application& a);

// Returns the log gain of a child over its parent, both with their intervals over the same reference. The parent's
// speed-up is 1 where it is the reference itself. A child that did not pass gets a penalty. Nothing: the parent has no
// figure, or the child has no verdict.
std::optional<skill_application> application_of(const score& child, const score& parent);

// Adds an application and decides the state anew. One of the same campaign and candidate changes nothing.
skill applied(skill s, skill_application what, int64_t now_ns);
// Decides the state from the applications. A change raises the version and is noted in the history. A revoked skill
// stays revoked.
skill judged_anew(skill s, int64_t now_ns);
skill revoked(skill s, const std::string& by, const std::string& reason, int64_t now_ns);

} // namespace kevolve
