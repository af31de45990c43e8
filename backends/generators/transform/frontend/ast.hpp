// From clang's AST dump (JSON) of the entry function to the tree.
#pragma once

#include "backends/generators/transform/ir/program.hpp"
#include "runtime/base/result.hpp"

#include <string>

namespace kevolve::transform {

// Reads the function `entry` of `source` from the JSON that clang's -ast-dump=json gave for it, alone or in a
// TranslationUnitDecl with functions that it calls. What the moves have no use for (switch, goto, do, structures by
// value …) stays as opaque text. errc::unsupported, with the reason and line, when even the function's frame cannot be
// read. `may_alias`: what one argument points to may be written through another.
result<program> read_function(const std::string& source, const std::string& syntax_tree, const std::string& entry,
                              bool may_alias = false);

// Brings the tree into the forms the analysis knows: unique names, counted loops, `continue` as nested ifs,
// pointers into arrays replaced by subscripts of these arrays, declarations beside their first use.
// Labels loops L0, L1 …, whiles W0 …, branches B0 … in source order.
void normalise(program& p);

} // namespace kevolve::transform
