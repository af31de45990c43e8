// Analyses a C source's preprocessor lines, so that several sources can share one file.
#pragma once

#include "tools/kevolve/dispatch/c_tokens.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve::dispatch {

struct own_macro {
  bool is_defined = false; // false: it is only undefined
  bool takes_arguments = false;
  bool is_plain = true;    // its body neither begins nor ends a declaration or a block
  bool varies = false;     // another definition has a different body
  std::vector<token> body; // of the first definition
  size_t line = 0;
};

struct c_directives {
  std::map<std::string, own_macro> macros;
  std::vector<std::string> headers;     // includes outside all conditions: "<math.h>"
  std::map<std::string, size_t> tested; // words in conditions, with a line of each
};

// Analyses the lines. errc::unsupported: a line has effects beyond its part of the file. Such lines include other files
// by name, use pragmas for the rest of the file, or have conditions whose branches open or close braces.
result<c_directives> read_directives(const std::vector<token>& source);

} // namespace kevolve::dispatch
