// The parts of the evaluator share these: an evaluation in progress goes from stage to stage. Private to
// evaluator*.cpp.
#pragma once

#include "actors/evaluation/evaluator.hpp"

#include <string>
#include <vector>

namespace kevolve::evaluator_run {

using pointer = evaluator_actor::stateful_pointer<evaluator_state>;
using run_ptr = evaluator_state::run_ptr;

// Takes the next step of the run: a stage, a turn at the device, or its end (evaluator.cpp).
void advance(pointer self, const run_ptr& r);
// End the run with a fault, and with it those that waited for its purchase. The second is for the journal's errors.
void finish_with_fault(pointer self, const run_ptr& r, fault f);
void failed(pointer self, const run_ptr& r, const caf::error& e);

// Records the intent, together with the node's unsaved records, then starts the paid work. An evaluation that is stored
// under the key `unless_evaluated` is used in its place; empty: it is bought in any case (evaluator_jobs.cpp).
void pay(pointer self, const run_ptr& r, stage s, const id128& id, std::string unless_evaluated);

// The rest is in evaluator_results.cpp.

// Ends a purchase and returns the runs that waited for it.
std::vector<run_ptr> close_purchase(evaluator_state& st, const run_ptr& r);
// Returns true if the stage of this request is measured against the reference.
bool against_reference(const evaluate_request& request, stage s);
// Returns the id of the baseline's object; zero: the reference, or none.
id128 baseline_of(const evaluate_request& request, stage s);
// Returns the sure lead of the candidate's parent over the champion; 0 if it has none.
double lead_of(const evaluate_request& request);

// Returns the record as the journal stores it.
stored_value stored(const evaluation_record& record);
// Pins the record until the node's end is stored.
void hold(const evaluator_state& st, const run_ptr& r, const std::string& key);
// Returns the event of an evaluation's beginning or result.
event_draft note(const evaluator_state& st, const run_ptr& r, event_kind kind, const id128& id, stage s);

// Returns a record of the stage without its outcome.
evaluation_record new_record(const evaluator_state& st, const run_ptr& r, stage s, const id128& id);
// Returns the record of a candidate whose object code equals its baseline's: it passes with the same speed, unmeasured.
evaluation_record no_screening();
// Returns the same record as for a refusal by the compiler; it is stored with the end of its node.
evaluation_record lint_candidate(pointer self, const run_ptr& r, const std::string& why);

// Applies a stage's result to every run that waited for it.
void go_on(pointer self, const run_ptr& r, stage s, const evaluation_record& record);
// Keeps the last stage's result, which is stored with the end of its node. A run that reuses it before then stores it,
// too.
void keep_result(pointer self, const run_ptr& r, stage s, evaluation_record record);
// Stores a stage's result, then continues. `object`: the bytes of what a build made.
void store_result(pointer self, const run_ptr& r, stage s, evaluation_record record, std::string object);

} // namespace kevolve::evaluator_run
