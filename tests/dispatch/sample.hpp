// A small task with declared and held-out shapes, and sources that implement it.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/plan.hpp"
#include "tools/kevolve/dispatch/source.hpp"

#include <string>
#include <vector>

namespace kevolve::test {

// Returns the task void twice(const float *x, float *y, int64_t rows, int64_t cols), y = 2 x. Declared shapes: 0: 1000
// x 4, 1: 4 x 1000, 2: 100 x 100. Held out: 3: 1 x 1, 4: 50 x 2000.
contract sample_task();

// Returns figures for all shapes with an interval of one percent to either side. A shape is not inferior if its
// interval lies above a loss of three percent, inferior if it lies below that.
dispatch::figures measured(const std::vector<double>& speedups);

// Returns the part of a source; fails the test if it cannot be read.
dispatch::source_part part_of(const std::string& label, const std::string& text);
// Returns y = 2 x with a side effect: it adds `mark` to *seen, so that a test can tell which part ran.
std::string counting_source(int mark);

} // namespace kevolve::test
