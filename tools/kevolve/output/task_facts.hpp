// Facts about a task that its file alone gives, for people and as JSON: shapes, tolerances, and how its reference
// reads.
#pragma once

#include "backends/generator.hpp"
#include "backends/judge/device_demand.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Return a row a shape: its use, its weight, its arrays and its declared work.
json shapes_json(const contract& c);
std::string shapes_text(const contract& c);

// Return the tolerance of each output: the task's own, or the default where it declares none.
json tolerances_json(const contract& c);
std::string tolerances_text(const contract& c);

// Return what the embedded generator sees of the reference. `file` is its name, for people.
json reading_json(const result<reference_reading>& r);
std::string reading_text(const result<reference_reading>& r, const std::string& file);

// Returns a warning for each shape whose arrays do not fit into this machine's memory.
std::vector<std::string> too_large(const contract& c);
// Returns parameters that are called as another argument is: the types may fit all the same, the values will not.
std::vector<std::string> out_of_order(const contract& c, const result<reference_reading>& r);

// Return what judging takes on a GPU; nothing for tasks that are not judged on one: their reference is not PyTorch's.
std::optional<device_demand> device_demand_of(const contract& c);
json device_json(const contract& c);

} // namespace kevolve
