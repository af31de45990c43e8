// Checks a document against the part of JSON Schema that docs/*.schema.json use.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace kevolve::test {

// Returns the first place that does not fit, with the reason; empty if the document fits. A keyword of the schema that
// is not understood is an error as well.
std::string misfit(const nlohmann::json& root, const nlohmann::json& schema, const nlohmann::json& document,
                   const std::string& at = "$");

} // namespace kevolve::test
