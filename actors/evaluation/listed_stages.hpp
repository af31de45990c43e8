// The stages of a candidate's evaluation as entries of its profile, before the passes that profile it. Pure.
#pragma once

#include "actors/evaluation/profile_record.hpp"
#include "actors/messages/records.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct listed_stage {
  profiled_pass pass;               // with the digests of what it made
  std::vector<std::string> content; // of those that are not stored yet
};

// Returns the admission of the task's reference and then the evaluations in the given order, each followed by the
// sanitised replay of its session. An admission or stage without a verdict is left out, as is a name of no stage.
std::vector<listed_stage> listed_stages(const preparation& prepared, const std::vector<evaluation_record>& evaluations);
// Adds them to a profile, and what they made to the texts that are stored with it.
void list_first(const std::vector<listed_stage>& stages, profile_record& record, std::vector<std::string>& blobs);

} // namespace kevolve
