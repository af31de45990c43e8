// Iterations of a loop side by side: copies of its body, joined statement by statement.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// Returns the variables of a body that go through the same values in every iteration: made of nothing but each other
// and of what the loop leaves alone, under conditions of the same kind.
std::set<std::string> uniform_of(const stmt& loop);
// Returns copy number f of a body: the index moved on, its own variables renamed but those that all copies share.
std::vector<stmt> copy_of(program& p, const stmt& loop, int64_t f, const std::set<std::string>& shared = {});
// Puts the copies side by side, statement by statement; what is the same for all of them stands once.
std::vector<stmt> zip(program& p, std::vector<std::vector<stmt>> copies, const std::set<std::string>& shared);

} // namespace kevolve::transform
