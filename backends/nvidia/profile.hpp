// What Nsight Compute says of a candidate's kernels: counters, for whoever improves on it. Never a time that decides.
#pragma once

#include "runtime/base/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct profiled_kernel {
  std::string name;
  std::map<std::string, double> counters; // by our names (profile.cpp); absent: not told
};

// The profiler as the parent of a program that follows these words. It writes what it found to `log` when that program
// has ended.
std::vector<std::string> ncu_command(const std::string& ncu, const std::string& log);

// The profiler's table: kernels in the order of their launches. errc::unavailable: what it says it could not do;
// errc::bad_input: no such table.
result<std::vector<profiled_kernel>> read_ncu_table(std::string_view text);

// [{"kernel":"softmax","duration_ns":12345,"dram_percent":81.2,…}]
std::string profile_json(const std::vector<profiled_kernel>& kernels);

// Of the kernel that takes longest, a sentence for a person: shares of the device's peaks, cache hits, what warps wait
// for.
std::string profile_words(const std::vector<profiled_kernel>& kernels);

} // namespace kevolve
