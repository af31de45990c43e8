// Checks the libraries of a candidate's object against those that the task allows.
#pragma once

#include "backends/judge/elf_object.hpp"
#include "runtime/base/contract.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve {

// Returns whether an object may name the library. The C library, its mathematics and the compilers' run times are
// always allowed, thread run times if the task allows threads. Others must be in task.libraries, as "openblas" or
// "libopenblas.so.0". A path is never allowed.
bool library_allowed(const contract& task, std::string_view name);

struct object_refusal {
  std::string rule;   // "library", or "object_format" if the bytes cannot be read
  std::string detail; // for a person
  std::map<std::string, std::string> evidence;
};

// Returns why the object may not be loaded; null if it may.
std::optional<object_refusal> refuse_object(const contract& task, std::string_view bytes);

} // namespace kevolve
