// Collects the names that a C source defines, so that several sources can share one file.
#pragma once

#include "runtime/base/result.hpp"

#include <set>
#include <string>
#include <vector>

namespace kevolve::dispatch {

struct c_names {
  std::set<std::string> functions;  // functions defined in the source
  std::set<std::string> others;     // variables, types, tags and enumerators at file scope, defined in the source
  std::set<std::string> macros;     // macros defined or undefined in the source
  std::vector<std::string> headers; // headers that are always included: "<math.h>"

  std::set<std::string> file_scope() const;
};

// Returns the names. errc::unsupported, with line and reason: the source cannot share a file. Either its declarations
// cannot be read reliably, or they have effects beyond its text. Examples are assembler, constructors, aliases, pragmas
// for the rest of the file, and tests for a macro that must be renamed.
result<c_names> read_names(const std::string& source);

} // namespace kevolve::dispatch
