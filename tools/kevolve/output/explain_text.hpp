// A campaign's explanation as text for a person.
#pragma once

#include "runtime/node/admin/json.hpp"

#include <string>

namespace kevolve {

std::string explanation_text(const json& explanation);

} // namespace kevolve
