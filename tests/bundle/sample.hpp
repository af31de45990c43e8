// A small bundle's input for tests.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"

namespace kevolve::test {

// Returns a bundle for y[i] = a * x[i] with one shape.
bundle_input sample_bundle();

bool has(const std::string& text, const std::string& part);
// Counts the occurrences of `part`.
size_t times(const std::string& text, const std::string& part);

} // namespace kevolve::test
