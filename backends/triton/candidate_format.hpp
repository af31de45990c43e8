// What whoever writes a candidate in Triton is told of its form.
#pragma once

#include "backends/candidate_form.hpp"
#include "backends/candidate_language.hpp"

#include <string_view>

namespace kevolve {

// triton.md, as the build put it into this program.
std::string_view triton_document();

namespace cuda {

candidate_form triton_form(const contract& task);

} // namespace cuda

// Candidates in Triton, for targets of other folders.
candidate_language triton_language();

} // namespace kevolve
