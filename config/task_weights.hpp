// The values that a module's parameters and buffers themselves have: a file of tensors beside the task file, that
// [module] weights names. A tensor belongs to the argument whose origin has its name. One test set holds these values.
#pragma once

#include "config/task_sections.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace kevolve {

// The most bytes of a file of weights. They travel with every campaign and every request of its judges.
inline constexpr size_t max_weights_bytes = 8U << 20U;

// Returns true for the name of a file of tensors. Its bytes are no text.
bool is_weights_file(std::string_view name);

// Checks that the file's tensors fit the arguments. Writes the sha256 of each argument's values into its fill rule, as
// `of`, so that whatever depends on the task's content depends on them, too. The file is in draft.spec.files.
void attach_weights(task_draft& draft, error_list& errors);

// Returns the values by argument, as compact bytes; empty if the task has no file of weights.
std::map<std::string, std::string> own_weights(const task_spec& spec);

} // namespace kevolve
