// A small bundle's input, for tests to change.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"

namespace kevolve::test {

// y[i] = a * x[i], with one shape.
bundle_input sample_bundle();

bool has(const std::string& text, const std::string& part);
// How often.
size_t times(const std::string& text, const std::string& part);

} // namespace kevolve::test
