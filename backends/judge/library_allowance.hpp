// Which libraries a task lets a candidate's object name, and whether an object keeps to that.
#pragma once

#include "backends/judge/elf_object.hpp"
#include "runtime/base/contract.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve {

// C's, its mathematics and the compilers' own run time always; that of threads where the task allows them; else what
// task.libraries lists, as "openblas" or as "libopenblas.so.0". A path is never allowed.
bool library_allowed(const contract& task, std::string_view name);

struct object_refusal {
  std::string rule;   // "library", or "object_format" if the bytes cannot be read
  std::string detail; // for a person
  std::map<std::string, std::string> evidence;
};

// Why the object may not be loaded; nothing if it may.
std::optional<object_refusal> refuse_object(const contract& task, std::string_view bytes);

} // namespace kevolve
