// The options that `new` and `optimize` share, and how they tell a refusal.
#pragma once

#include "tools/command_line/command_line.hpp"
#include "tools/kevolve/new_task.hpp"

#include <vector>

namespace kevolve {

void add_new_options(declared_verb& verb, new_options& o);
void add_strict_fp32(declared_verb& verb, bool& strict);
// Prints the refusals and returns the exit code of bad input.
int report_refusals(const std::vector<new_refusal>& refusals, bool as_json);

} // namespace kevolve
