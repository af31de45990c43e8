// The JSON of a candidate's profile and of a plan, for HTTP and for the command line.
#pragma once

#include "actors/evaluation/job_graph.hpp"
#include "actors/evaluation/profile_record.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/json.hpp"

#include <optional>
#include <string>

namespace kevolve {

// Return the JSON of a profile and of a plan. `diagnosis` is the stored text; what is no JSON becomes null.
json to_json(const profile_record& r, const std::string& diagnosis);
json to_json(const job_plan& p);

// The most bytes of an artefact that one answer holds.
inline constexpr size_t most_artefact_bytes = size_t{8} << 20U;

// Returns the pass that made the artefact and its kind; nothing if the profile has no artefact of that digest.
struct artefact_place {
  std::string pass;
  std::string kind;
};
std::optional<artefact_place> find_artefact(const profile_record& r, const std::string& digest);
// Returns the artefact: its content as "text", or in base64 if it is no text. The other one is null.
json artefact_json(const artefact_place& place, const std::string& digest, const std::string& content);
// Returns the content that artefact_json() holds. errc::bad_input: it holds none.
result<std::string> artefact_content(const json& artefact);

} // namespace kevolve
