// A task file, loaded and checked: the operator's contract with its reference and goal.
#pragma once

#include "config/diagnostic.hpp"
#include "runtime/base/contract.hpp"

#include <map>
#include <string>

namespace kevolve {

struct task_spec {
  contract task;
  std::string path; // the path as given
  std::string text; // the file's bytes
  std::string reference_path;
  std::string reference_source;
  std::string oracle_path; // empty: the reference with float promoted to double
  std::string oracle_source;
  std::string oracle_entry;
  double goal_speedup = 0.0; // 0: none declared
  // Texts of further files by their names beside the task file: the [module]. They are the last member of an encoded
  // campaign, so that campaigns stored before can be read.
  std::map<std::string, std::string> files;
};

template <class I>
typename I::result_type inspect(I& f, task_spec& x) {
  return f(x.task, x.path, x.text, x.reference_path, x.reference_source, x.oracle_path, x.oracle_source, x.oracle_entry,
           x.goal_speedup);
}

// Reads the file, and the reference and the oracle beside it. Returns every error.
result_or_errors<task_spec> load_task(const std::string& path);

} // namespace kevolve
