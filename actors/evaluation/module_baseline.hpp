// The PyTorch module that a task's native reference was made from, and the baselines of PyTorch that candidates are
// timed beside, and its own weights. Pure.
#pragma once

#include "config/campaign.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Returns the packed program of the module; empty if the task has none, or its reference is PyTorch itself.
std::string module_beside(const task_spec& task);
// Returns the values of the module's own weights as requests of judges carry them; empty if the task has none.
std::string packed_weights(const task_spec& task);
// Returns the names of the baselines that a final confirmation of the campaign times beside the best candidate. Empty
// if its task is not PyTorch's, or the campaign gives them no time.
std::vector<std::string> baselines_beside(const campaign_spec& spec);

} // namespace kevolve
