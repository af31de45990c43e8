// Functions beside the entry that it calls: which of them do nothing but compute.
#pragma once

#include <simdjson.h>

#include <map>
#include <optional>
#include <string>

namespace kevolve::transform {

// Returns the name of the function that a CallExpr calls; nothing if it calls through a pointer.
std::optional<std::string> callee_of(simdjson::dom::element call);

// Returns the functions defined in the TranslationUnitDecl whose value depends on their arguments' values alone and
// that touch nothing else: no pointer, no variable from outside. They call only their like and the C library's pure
// functions, each with its definition. memcpy from one local scalar to another is allowed: it takes bits as another
// type. A construct that is not known to be harmless counts as harmful.
std::map<std::string, simdjson::dom::element> pure_functions(simdjson::dom::element unit);

} // namespace kevolve::transform
