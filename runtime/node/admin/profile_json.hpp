// The JSON of a candidate's profile and of a plan, for HTTP and for the command line.
#pragma once

#include "actors/evaluation/job_graph.hpp"
#include "actors/evaluation/profile_record.hpp"
#include "runtime/node/admin/json.hpp"

namespace kevolve {

// Return the JSON of a profile and of a plan. `diagnosis` is the stored text; what is no JSON becomes null.
json to_json(const profile_record& r, const std::string& diagnosis);
json to_json(const job_plan& p);

} // namespace kevolve
