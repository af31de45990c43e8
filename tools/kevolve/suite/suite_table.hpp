// The results of a suite, from the JSON of its campaigns: rows, fast_p, means, and the files of KernelBench.
#pragma once

#include "runtime/node/admin/json.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// One campaign's place in a suite.
struct suite_item {
  std::string name;                  // of the task
  std::string task;                  // path of its file
  std::string module;                // name of the PyTorch file that it was made from; empty: none
  int level = 0;                     // of KernelBench; 0: none
  int problem = 0;                   // the number that its file's name begins with, or its place in the suite
  std::string campaign;              // its id; empty: it has never begun
  std::vector<std::string> settings; // that it began with, as `kevolve run --set` takes them
  bool ended = false;                // and this is what its campaign has spent
  double device_s = 0.0;
  uint64_t tokens = 0;
  std::string refused; // why no campaign came of it; empty: none was refused
};

// A baseline's time over the kernel's. `interval` may be missing.
struct suite_speedup {
  double speedup = 0.0;
  std::optional<std::pair<double, double>> interval;
  double time_ns = 0.0; // of the baseline; 0: unknown
};

struct suite_row {
  suite_item item;
  std::string state; // "not started", "refused", or as `kevolve list` shows it
  bool ended = false;
  bool compiled = false; // some candidate did
  bool correct = false;  // some candidate was judged right
  bool confirmed = false;
  std::map<std::string, suite_speedup> speedups; // by baseline; "reference" is the task's own
  std::string best_baseline;                     // empty: none was measured
  double kernel_ns = 0.0;                        // median of the first declared shape; 0: unknown
  json kernel_times;                             // of that shape, as the judge wrote them; null: unknown
  uint64_t candidates = 0;
  double wall_s = 0.0;
  double device_s = 0.0;
  uint64_t tokens = 0;
  double cost = 0.0;
  std::optional<bool> tf32; // of the task's products of f32, on all sides; nothing: as PyTorch has it
};

// Returns the row of an item. `status`: the campaign's JSON, or null if it has never begun.
suite_row row_of(const suite_item& item, const json& status);

// Returns the share of all rows that are correct and whose speed-up over the baseline exceeds p. KernelBench's fast_p.
double fast_p(const std::vector<suite_row>& rows, const std::string& baseline, double p);
// Returns the geometric mean of the correct rows for which the baseline was measured; nothing if there are none.
std::optional<double> geometric_mean(const std::vector<suite_row>& rows, const std::string& baseline);
// Returns the number of correct rows for which the baseline was measured.
size_t measured(const std::vector<suite_row>& rows, const std::string& baseline);
// Returns the baselines of all rows: the reference first, "best" (of each row) last if any but the reference is there.
std::vector<std::string> baselines_of(const std::vector<suite_row>& rows);

inline constexpr double fast_thresholds[] = {0.0, 0.5, 0.8, 1.0, 1.5, 2.0};

json suite_json(const std::string& name, const std::vector<suite_row>& rows);
std::string suite_text(const std::string& name, const std::vector<suite_row>& rows);

// Returns KernelBench's eval_results.json: a list of samples for each problem's number.
json eval_results(const std::vector<suite_row>& rows);
// Returns KernelBench's results/timing/HARDWARE/BASELINE.json: {"level1": {"1_name.py": {"mean": milliseconds, …}}}.
json baseline_times(const std::vector<suite_row>& rows, const std::string& baseline);

} // namespace kevolve
