// What whoever writes a candidate for the cuda target is told of its form.
#pragma once

#include "backends/candidate_form.hpp"

namespace kevolve::cuda {

candidate_form plan_form(const contract& task);

} // namespace kevolve::cuda
