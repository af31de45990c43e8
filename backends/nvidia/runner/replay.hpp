// The program of a sanitised replay: `kevolve-runner-cuda --replay FILE`. It runs under compute-sanitizer or alone,
// loads the candidate through the driver, makes the calls of the file and ends. It compares nothing.
#pragma once

#include <string>

namespace kevolve::cuda {

// The suffix of the file that it appends its progress to; read_replay_progress() reads it.
inline constexpr const char* replay_progress_suffix = ".progress";

// Returns the exit status: 0 unless the order cannot be read. What became of the calls stands in the progress.
int run_replay(const std::string& path);

} // namespace kevolve::cuda
