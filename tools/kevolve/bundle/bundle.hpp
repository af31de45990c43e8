// The files of a bundle as plain functions over values: a kernel with all that a stranger needs to build and test it.
#pragma once

#include "backends/cpu/build_recipe.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/measurement.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/json.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

// A declared shape as it was measured; 0 where nothing is known.
struct bundle_shape : speedup_interval {
  std::string name;
  bool held_out = false;
  double weight = 1.0;
  double reference_ns = 0.0; // medians
  double kernel_ns = 0.0;
  uint64_t pairs = 0;
  double flops = 0.0; // the least that any implementation does
  double bytes = 0.0;
};

// Which sizes run what, of a kernel that chooses.
struct bundle_region {
  std::string when, runs;
};

// The best from then on.
struct bundle_step {
  uint64_t candidates = 0; // finished by then
  uint64_t node = 0;
  double speedup = 0.0;
};

struct bundle_input : speedup_interval {
  contract task;
  std::string reference_source;
  std::string oracle_source; // empty: the reference with float promoted to double
  std::string oracle_entry;

  std::string campaign; // id
  std::string state;    // of the campaign when this was made
  uint64_t candidates = 0;
  uint64_t valid = 0;
  std::vector<bundle_step> progress;

  std::string kernel_source;
  std::string language; // c cpp
  std::string flag_set;
  uint64_t node = 0;
  std::vector<uint64_t> dispatches;   // nodes that the kernel chooses among by the sizes; empty: it is `node`'s
  std::vector<bundle_region> regions; // of such a kernel
  std::vector<bundle_shape> between;  // judged with it, though the task does not name them; no test runs them
  std::string summary;
  std::string generator;
  bool final_confirmed = false;
  std::string disturbed;
  std::vector<bundle_shape> shapes;
  double call_overhead_ns = 0.0; // of every time told, both's; 0: not known

  build_recipe kernel_build;
  build_recipe reference_build;
  std::vector<std::pair<std::string, std::string>> machine; // what it is, its text
  bool same_toolchain = true;                               // as when it was measured: compilers, processor, flags
  bool same_device = true;
  json fingerprint;
  std::string measured_at;
  std::map<std::string, double> peaks; // "flops_per_s", "dram_bytes_per_s"; of the device
  json verdict;                        // as stored
  json evidence;
  std::string version; // kevolve's
};

struct bundle_file {
  std::string name, text;
};

// errc::unsupported for a task that the test cannot draw inputs for.
result<std::vector<bundle_file>> bundle_files(const bundle_input& b);

std::string kernel_header(const bundle_input& b);
std::string cmake_lists(const bundle_input& b);
std::string build_text(const bundle_input& b); // BUILD.md
std::string readme_text(const bundle_input& b);
json results_json(const bundle_input& b);
result<std::string> test_source(const bundle_input& b); // test_kernel.c
std::string progress_svg(const bundle_input& b);
std::string roofline_svg(const bundle_input& b);
std::string reference_wrapper(const bundle_input& b); // the reference under another name
std::string oracle_wrapper(const bundle_input& b);    // the exact result

// "kernel.c", "reference.cpp", …
std::string source_file(const std::string& stem, const std::string& language);
// Of what sources in a language are compiled after.
std::string prelude_file(const std::string& language);

} // namespace kevolve
