// Skills as JSON: what `kevolve skills export` writes and `import` reads, and what the HTTP interface shows. Pure.
#pragma once

#include "actors/knowledge/skill_messages.hpp"
#include "runtime/base/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

nlohmann::ordered_json to_json(const skill& s);
// Returns the skill with `weight`, `gain` (mean of the posterior of the log gain) and `deviation`.
nlohmann::ordered_json to_json(const weighed_skill& s);

// Returns `{"format": 1, "skills": […]}`, with a line break at its end.
std::string skills_text(const std::vector<skill>& skills);

// Reads the text of skills_text(). The ids are computed again. errc::bad_input names the skill and the key.
result<std::vector<skill>> parse_skills(std::string_view text);

} // namespace kevolve
