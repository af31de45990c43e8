// Numbers in what a judge says to people.
#pragma once

#include <string>

namespace kevolve {

// With so many significant digits.
std::string figure(double x, int digits = 4);

} // namespace kevolve
