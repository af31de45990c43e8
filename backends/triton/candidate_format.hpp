// Describes the form of a candidate in Triton to its author.
#pragma once

#include "backends/candidate_form.hpp"
#include "backends/candidate_language.hpp"

#include <string_view>

namespace kevolve {

// Returns the text of candidate_format.md, embedded by the build.
std::string_view triton_format_text();

namespace cuda {

candidate_form triton_form(const contract& task);

} // namespace cuda

// Returns the language of candidates in Triton, for targets of other folders.
candidate_language triton_language();

} // namespace kevolve
