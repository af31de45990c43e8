// The files of a bundle as pure functions: a kernel with everything needed to build and test it.
#pragma once

#include "backends/cpu/build_recipe.hpp"
#include "config/task_module.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/measurement.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/bundle/bundle_figures.hpp"
#include "tools/kevolve/bundle/device_kernel.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

struct bundle_input : speedup_interval {
  interval_basis basis;
  outputs_figures outputs;
  contract task;
  std::string reference_source;
  std::string oracle_source; // empty: the reference with float promoted to double
  std::string oracle_entry;
  std::optional<task_module> module; // the PyTorch source that the reference was made from, and its text
  std::string module_source;
  std::string package; // name of the Python package in the bundle; empty: none, and without_package says why
  std::string without_package;

  std::string campaign; // campaign id
  std::string state;    // state of the campaign when the bundle was made
  uint64_t candidates = 0;
  uint64_t valid = 0;
  std::vector<bundle_step> progress;

  std::string target = "cpu";
  std::vector<device_kernel> kernels; // of a target on a GPU, the best first; empty: the kernel is the processor's
  std::string kernel_source;
  std::string language; // "c" or "cpp"
  std::string flag_set;
  uint64_t node = 0;
  // Nodes among which the kernel chooses by the sizes; empty: it is the kernel of `node`.
  std::vector<uint64_t> dispatches;
  std::vector<bundle_region> regions; // regions of a dispatching kernel
  std::vector<bundle_shape> between;  // shapes judged with it that the task does not name; the test does not run them
  std::vector<bundle_shape> beyond;   // the same, larger or smaller than all of the task's
  std::string no_regression;          // the test by which a dispatching kernel is as fast as the reference; empty: none
  std::string summary;
  std::string generator;
  bool final_confirmed = false;
  std::string
      beside_pytorch; // "2.21x faster than torch.compile default, the best of 5 baselines, …"; empty: not compared
  std::string disturbed;
  json reused_from; // {campaign, candidate} that the figures were measured for; null: this campaign's own
  std::vector<bundle_shape> shapes;
  std::string checked_on;        // the draws beside the task's shapes, and what was not tried; empty if unknown
  double call_overhead_ns = 0.0; // included in every time of both sides; 0: unknown
  double stack_kib = 0.0;        // the most that a thread had used after its calls; 0: unknown

  build_recipe kernel_build;
  build_recipe reference_build;
  std::vector<std::pair<std::string, std::string>> machine; // description of the machine: property, text
  bool same_toolchain = true; // compilers, processor and flags are those of the measurement
  bool same_device = true;
  json fingerprint;
  std::string measured_at;
  std::map<std::string, double> peaks; // of the device: "flops_per_s", "dram_bytes_per_s"
  json verdict;                        // as stored
  json evidence;
  std::string version; // version of kevolve
};

struct bundle_file {
  std::string name, text;
};

// Returns the files. errc::unsupported: the test cannot draw inputs for the task.
result<std::vector<bundle_file>> bundle_files(const bundle_input& b);

std::string kernel_header(const bundle_input& b);
std::string cmake_lists(const bundle_input& b);
std::string build_text(const bundle_input& b); // returns BUILD.md
std::string readme_text(const bundle_input& b);
json results_json(const bundle_input& b);
result<std::string> test_source(const bundle_input& b); // returns test_kernel.c
std::string progress_svg(const bundle_input& b);
std::string roofline_svg(const bundle_input& b);
std::string reference_wrapper(const bundle_input& b); // returns a source that compiles the reference under another name
std::string oracle_wrapper(const bundle_input& b);    // returns a source for the exact result

// Returns a file name such as "kernel.c" or "reference.cpp".
std::string source_file(const std::string& stem, const std::string& language);
// Returns the name of the file that is included before sources of that language.
std::string prelude_file(const std::string& language);

} // namespace kevolve
