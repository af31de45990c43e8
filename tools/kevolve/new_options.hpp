// The options that `new` and `optimize` share, and how they tell a refusal.
#pragma once

#include "tools/kevolve/new_task.hpp"

#include <vector>

namespace CLI {
class App;
}

namespace kevolve {

void add_new_options(CLI::App& verb, new_options& o);
void add_strict_fp32(CLI::App& verb, bool& strict);
// Prints the refusals and returns the exit code of bad input.
int report_refusals(const std::vector<new_refusal>& refusals, bool as_json);

} // namespace kevolve
