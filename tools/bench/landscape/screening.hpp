// A task with its helpers, ready to propose, compile and screen candidates without a node.
#pragma once

#include "backends/generator.hpp"
#include "config/task.hpp"
#include "tools/bench/helper_session.hpp"
#include "tools/bench/landscape/landscape.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::bench {

class screening_bench {
public:
  // Starts a judge and `compilers` compile servers, and compiles the reference.
  static result<screening_bench> open(const std::string& bin, task_spec spec, uint32_t compilers);

  const task_spec& spec() const { return spec_; }
  int timing_core() const { return bench_.device.cores.empty() ? 0 : bench_.device.cores.front(); }
  const target& hardware() const { return *bench_.hardware; }
  const std::string& reference() const { return reference_; } // its object
  std::vector<workbench>& compilers() { return compilers_; }
  // Returns the part of a proposal's context that all steps have in common.
  const synthesis_context& context() const { return context_; }
  // Screens an object against the reference, with pairs for so many milliseconds and that error level.
  result<judge_outcome> screen(const std::string& object, const std::string& source, uint32_t ms, double alpha);

private:
  screening_bench(task_spec spec, workbench bench) : spec_(std::move(spec)), bench_(std::move(bench)) {}
  result<void> compile_reference();
  result<void> make_context();

  task_spec spec_;
  workbench bench_; // judges, and reads the reference
  std::vector<workbench> compilers_;
  synthesis_context context_;
  std::string reference_;
  std::string oracle_;
};

// Returns the part of a proposal's context that all steps of a task have in common, without its syntax tree.
synthesis_context context_of(const target& hardware, const task_spec& spec);

// Returns the pairs of the declared shapes.
std::vector<shape_pairs> pairs_of_outcome(const judge_outcome& o);
// Loads a task. With sizes, the first declared shape with these replaces all declared ones.
result<task_spec> small_task(const std::string& path, const std::map<std::string, int64_t>& sizes);

} // namespace kevolve::bench
