// One C file of the reference, some kernels, and an entry that picks among them by the sizes.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/c_names.hpp"
#include "tools/kevolve/dispatch/regions.hpp"

#include <string>
#include <vector>

namespace kevolve::dispatch {

// A source that takes part, its text as it was judged.
struct source_part {
  std::string label; // "reference", "node7": part of its names in the file
  std::string about; // for people
  std::string text;
  c_names names;
};

// errc::unsupported, with the reason, for a source whose names cannot be kept apart from others'.
result<source_part> read_part(std::string label, std::string about, std::string text, const std::string& entry);

// The name that a part's name has in the file.
std::string name_in(const source_part& part, const std::string& name);

// The kernels that no region has are left out. Names are changed by the preprocessor around each part, so that the
// parts' texts stay what was judged; a macro of theirs ends with its part.
std::string dispatcher_source(const contract& task, const source_part& reference,
                              const std::vector<source_part>& kernels, const regions& r);

} // namespace kevolve::dispatch
