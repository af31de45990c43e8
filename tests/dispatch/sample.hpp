// A small task with declared and held-out shapes, and sources that implement it.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/plan.hpp"
#include "tools/kevolve/dispatch/source.hpp"

#include <string>
#include <vector>

namespace kevolve::test {

// void twice(const float *x, float *y, int64_t rows, int64_t cols), y = 2 x. Its shapes: 0: 1000 x 4, 1: 4 x 1000,
// 2: 100 x 100 declared; 3: 1 x 1, 4: 50 x 2000 held out.
contract sample_task();

// Timed in all shapes, with an interval of a percent to either side.
dispatch::figures measured(const std::vector<double>& speedups);

// The part of a source that must be readable.
dispatch::source_part part_of(const std::string& label, const std::string& text);
// y = 2 x; adds `mark` to *seen when it runs, so that a test can tell which part did.
std::string counting_source(int mark);

} // namespace kevolve::test
