// A campaign's exchange with the node's book of skills: each step is given skills with its selection, each of their
// applications is reported, and each confirmed gain is distilled.
#pragma once

#include "actors/campaign/campaign_steps.hpp"

#include <functional>

namespace kevolve::campaign_steps {

// Adds to a selection the skills that its step is given. The record alone decides from then on.
void note_skills(selection_record& r, campaign_state& st, size_t generator);

// Notes the prior of a candidate that applies one of its step's skills: the speed-up that the skill promised.
void note_prior(const campaign_state& st, node_record& r);

// Reports the applications of skills that a judged candidate names; called before its end is folded.
void report_applications(pointer self, const node_record& r);

// Distils the step between two candidates into a skill and adds it to the book. `measured` are the child's figures
// against the reference. `then` runs whatever became of it.
void keep_gain(pointer self, uint64_t parent, uint64_t child, const score& measured, std::function<void()> then = {});

} // namespace kevolve::campaign_steps
