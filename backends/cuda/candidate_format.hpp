// Describes the form of a candidate for the target `cuda` to its author.
#pragma once

#include "backends/candidate_form.hpp"

namespace kevolve::cuda {

candidate_form plan_form(const contract& task);

} // namespace kevolve::cuda
