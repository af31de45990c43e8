// Makes the tasks of a collection: `kevolve import`, and suites that have none yet.
#pragma once

#include <string>
#include <vector>

namespace kevolve {

struct common_options;

// Each makes a task of what has none in `out` yet, tells its progress and returns the exit code. As text a table ends
// it; with JSON wanted, one document. `aside`: on stderr, for a verb that prints something else.
int import_kernelbench(const common_options& common, const std::string& from, const std::string& out,
                       const std::string& target, bool aside = false);
// Imports the listed ATen operators, from PyTorch's own samples; with `only`, these alone.
int import_aten(const common_options& common, const std::string& out, const std::vector<std::string>& only = {},
                bool aside = false);

} // namespace kevolve
