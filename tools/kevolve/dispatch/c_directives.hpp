// What a C source's preprocessor lines do, for whoever puts several sources into one file.
#pragma once

#include "tools/kevolve/dispatch/c_tokens.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve::dispatch {

struct own_macro {
  bool is_defined = false; // else only undefined
  bool takes_arguments = false;
  bool is_plain = true;    // nothing in it ends or begins a declaration or a block
  bool varies = false;     // another definition says something else
  std::vector<token> body; // of the first definition
  size_t line = 0;
};

struct c_directives {
  std::map<std::string, own_macro> macros;
  std::vector<std::string> headers;     // "<math.h>", outside all conditions
  std::map<std::string, size_t> tested; // words in conditions, with a line
};

// errc::unsupported for what cannot be kept to its own part of a file: other files by name, pragmas that hold for the
// rest of the file, and conditions whose branches open or close braces.
result<c_directives> read_directives(const std::vector<token>& source);

} // namespace kevolve::dispatch
