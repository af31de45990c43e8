// The synthesis of a candidate's artefacts into one structured document (docs/diagnosis.schema.json), and its exports.
// Pure. The artefacts come from helpers, so that nothing in them is believed before it is checked.
#pragma once

#include "actors/messages/records.hpp"
#include "backends/profile/artefact.hpp"
#include "backends/profile/finding.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace kevolve {

inline constexpr const char* diagnosis_version = "kevolve-diagnosis-1";
inline constexpr size_t most_shown_findings = 3;

struct diagnosis_facts {
  std::string task;
  std::string target;
  uint64_t index = 0;
  std::string shape;
  std::string source; // to check lines
  artefacts have;
  std::vector<finding> findings;
};

// Orders findings by what they explain: share of the time times confidence. Of each bottleneck on the same lines, the
// most confident one stays.
std::vector<finding> ranked(std::vector<finding> in);

nlohmann::json diagnosis_of(const diagnosis_facts& facts);

// Returns what a search needs of a diagnosis: the bottleneck, and the line of the loop that takes the time. Empty where
// the diagnosis names none.
profiling_record summary_of(const nlohmann::json& diagnosis);

// Returns the diagnosis as Chrome trace events: the loops of one call by time, nested, or the kernels of a device's
// call as they began and ended.
nlohmann::json chrome_trace(const nlohmann::json& diagnosis);

} // namespace kevolve
