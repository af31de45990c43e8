// Phases of a worker's call that decide whose fault an error is. Answers name their phase; all others are only
// reported.
#pragma once

namespace kevolve::call_phase {

inline constexpr const char* arena = "arena"; // memory for the arguments
inline constexpr const char* sweep = "sweep"; // memory that clears the caches, and its use
inline constexpr const char* context = "context";
inline constexpr const char* load = "load";     // of the candidate's code
inline constexpr const char* kernel = "kernel"; // found by its name
inline constexpr const char* shared_memory = "shared memory";
inline constexpr const char* tensor_map = "tensor map";
inline constexpr const char* launch = "launch";

} // namespace kevolve::call_phase
