// Loops whose body is a test and what it guards: the tests of many iterations may be made before the iterations.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

// Tells if the body is declarations and then one branch without an else.
bool is_guarded(const std::vector<stmt>& body);
// Tells if tests come out the same before and behind what is guarded.
bool tests_stay(const std::vector<stmt>& tested, const std::vector<stmt>& guarded, const environment& env);
// Returns the loop with `if (a) { if (b) … }` as one test of both.
stmt with_one_test(stmt l);
// Returns why the tests of a block of the loop's iterations may not be made before them; empty: they may.
std::string trouble_of_blocks(const program& p, const stmt& l, const environment& env);

} // namespace kevolve::transform
