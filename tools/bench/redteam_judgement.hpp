// Judges exhibits of the red team as a campaign judges candidates, and compares outcomes with what an exhibit requires.
#pragma once

#include "tools/bench/redteam_catalogue.hpp"

#include <functional>
#include <string>

namespace kevolve::redteam {

// Returns true if a call with a number in the window met a value of its edge, by the evidence of the outcome.
bool met_in_window(const error_window& w, const judge_outcome& o);

// An exhibit as a campaign judges it.
struct judgement {
  judge_outcome outcome; // the last one
  int repeated = 0;      // screenings that did not find a cheat faster, and so did not look closely
  bool left_to_confirmation = false;
  std::string edge_calls; // of the screening that passed
};

// Judges by `ask`. A screening that passes a cheat without calling it faster is asked again; a campaign would not
// promote such a candidate. One that calls it faster passes it for good, unless the cheat errs in a window of calls
// that met none of its values: then it is confirmed, as in a campaign.
result<judgement> judge_exhibit(const exhibit& e, const std::string& variant, judge_request request,
                                const std::function<result<judge_outcome>(const judge_request&)>& ask);

// Returns the violated requirement of the outcome; empty if it is as required.
std::string objection(const exhibit& e, const judge_outcome& o);
// Returns "refused: wrong_result/tolerance", "passed", "gained" or "fault: …".
std::string summary(const judge_outcome& o);

} // namespace kevolve::redteam
