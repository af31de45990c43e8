// The names that a C source claims for itself, so that several can stand in one file.
#pragma once

#include "runtime/base/result.hpp"

#include <set>
#include <string>
#include <vector>

namespace kevolve::dispatch {

struct c_names {
  std::set<std::string> functions;  // defined here
  std::set<std::string> others;     // variables, types, tags and enumerators of the file's scope, defined here
  std::set<std::string> macros;     // defined or undefined here
  std::vector<std::string> headers; // "<math.h>", those that are always included

  std::set<std::string> file_scope() const;
};

// errc::unsupported with line and reason for a source that cannot stand in one file with others: what its file scope
// declares cannot be read for certain, or reaches beyond its own text (assembler, constructors, aliases, pragmas for
// the rest of the file, tests for a macro of a name that is to be renamed).
result<c_names> read_names(const std::string& source);

} // namespace kevolve::dispatch
