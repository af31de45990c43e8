// A profile as text for a person.
#pragma once

#include "runtime/node/admin/json.hpp"

#include <string>

namespace kevolve {

// Lists the passes in order with seconds and perturbation, skipped ones with what would enable them, then the
// diagnosis.
std::string profile_text(const json& profile);
// Lists the passes of a plan and those left out.
std::string plan_text(const json& plan);
// Lists bound, roof, findings and loops of a diagnosis; empty for null.
std::string diagnosis_text(const json& diagnosis);

} // namespace kevolve
