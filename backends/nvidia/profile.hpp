// Nsight Compute's counters of a candidate's kernels, for the authors of later candidates. They never decide a verdict.
#pragma once

#include "runtime/base/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct profiled_kernel {
  std::string name;
  std::map<std::string, double> counters; // by our names (profile.cpp); unreported counters are absent
};

// The counters to collect. A kernel runs once for each group that the device can count at a time, so fewer are quicker.
enum class counter_choice : uint8_t {
  judged = 0, // after a confirmed gain: all but those of `requested` alone
  requested,  // by `kevolve profile`: those that its findings are made of, without the compound figures
};

// Returns the profiler's command; the program to profile follows it. The profiler writes its result to `log` when that
// program has ended. With `requested`, it counts the first launch of each kernel alone.
std::vector<std::string> ncu_command(const std::string& ncu, const std::string& log,
                                     counter_choice choice = counter_choice::judged);
// Returns the profiler's names of the counters, for a person.
std::vector<std::string> metrics_of(counter_choice choice);

// Parses the profiler's table; kernels come in launch order. errc::unavailable: the profiler reports an error.
// errc::bad_input: the text is no such table.
result<std::vector<profiled_kernel>> read_ncu_table(std::string_view text);

// Returns [{"kernel":"softmax","duration_ns":12345,"dram_percent":81.2,…}].
std::string profile_json(const std::vector<profiled_kernel>& kernels);

// Describes the longest kernel for a person: shares of the device's peaks, cache hits, reasons for waiting.
std::string profile_words(const std::vector<profiled_kernel>& kernels);

} // namespace kevolve
