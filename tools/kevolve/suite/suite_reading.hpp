// Reads what has become of a suite's campaigns, and writes it as KernelBench's scripts read it.
#pragma once

#include "tools/kevolve/suite/suite_state.hpp"
#include "tools/kevolve/verbs.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Asks the node of the data directory, or the directory itself where none runs. One row a task, in the suite's order.
result<std::vector<suite_row>> read_rows(const node_address& where, const suite_state& s);
// Writes eval_results.json, and timing/BASELINE.json for each baseline whose times are known.
result<void> export_kernelbench(const std::string& folder, const std::vector<suite_row>& rows);

} // namespace kevolve
