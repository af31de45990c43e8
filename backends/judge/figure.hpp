// Formats numbers in messages for people.
#pragma once

#include <string>

namespace kevolve {

// Returns the number with that many significant digits.
std::string figure(double x, int digits = 4);

} // namespace kevolve
