// Writes the tolerances of a C function's task, from measured errors.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/client/measured_need.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

// The rule in words, for the task file and for the person who made it.
std::string tolerance_rule();

struct written_tolerances {
  std::string text; // [[tolerance]] tables, with what was measured as comments
  json facts;       // a list: argument, relative, absolute, error, reordered_error, draws
};

// Returns the tolerances of these outputs, {name, dtype}, in this order. One without a measurement gets that of earlier
// versions, and `unmeasured` says why.
written_tolerances write_tolerances(const std::vector<std::pair<std::string, std::string>>& outputs,
                                    const std::map<std::string, measured_need>& needs, const std::string& unmeasured);

// Returns the tolerances of the file if it is `head` with tolerances behind it and nothing else: what was measured once
// stands. None if there is no such file.
std::optional<written_tolerances> kept_tolerances(const std::string& path, const std::string& head);

// A task's text up to its tolerances, with its reference.
struct task_head {
  std::string text;
  std::string reference_name;
  std::string reference;
};

// Measures the outputs, {name, dtype}, unless `there`, the path of the task file, has their tolerances already.
written_tolerances tolerances_of(const task_head& head, const std::vector<std::pair<std::string, std::string>>& outputs,
                                 const std::string& there);

} // namespace kevolve
