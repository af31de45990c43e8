// Reads artefacts that passes made as JSON. Tools and candidates wrote them, so that any part may be missing or of
// another type.
#pragma once

#include "backends/profile/artefact.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace kevolve {

// Returns the artefact: null if there is none, a discarded value if it is no JSON.
nlohmann::json artefact_json(const artefacts& have, artefact_kind kind);
// Returns the finite number of that name; 0 if there is none.
double number_at(const nlohmann::json& object, const char* name);
// Returns the text of that name; empty if there is none.
std::string text_at(const nlohmann::json& object, const char* name);

} // namespace kevolve
