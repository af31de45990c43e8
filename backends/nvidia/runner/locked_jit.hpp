// The program of the pass gpu.proton: `kevolve-runner-cuda --instrument FOLDER`. It locks the Python that the file
// `python` there names, and runs `scopes.py` in the folder: a candidate's own code, compiled just in time, beside the
// device and nothing else.
#pragma once

#include <string>

namespace kevolve::cuda {

// Returns the exit status: that of the script, 128 and its signal, or 2 if it cannot be locked; stderr says why.
int run_locked_jit(const std::string& folder);

} // namespace kevolve::cuda
