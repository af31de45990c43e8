// Findings: what bounds a candidate, with the evidence. Passes and the synthesis of their artefacts make them; prompts,
// moves and people read them.
#pragma once

#include "backends/profile/bound_class.hpp"
#include "runtime/base/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Lines of the candidate's own source; 0 to 0: the whole call.
struct line_range {
  uint32_t first = 0;
  uint32_t last = 0;
};

struct finding {
  bound_class bound = bound_class::unknown;
  double share = 0.0;      // of the call's time, 0 to 1
  double confidence = 0.0; // 0 to 1: 0.9 measured by an experiment or a counter, 0.5 by a model, 0.3 inferred
  double headroom = 0.0;   // the call's time over its time with this bottleneck gone or at the roof; 0: unknown
  std::string pass;        // the one that found it
  std::string words;       // one sentence for a person
  std::map<std::string, double> evidence; // figures, with units in their names: "ipc", "l2_bytes_per_second"
  std::vector<line_range> lines;
};

nlohmann::json to_json(const finding& f);
// Reads a finding. errc::bad_input names the member that is wrong.
result<finding> finding_of_json(const nlohmann::json& in);

} // namespace kevolve
