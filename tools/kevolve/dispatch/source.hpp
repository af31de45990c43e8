// Generates one C file with the reference, some kernels, and an entry that selects among them by the sizes.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/c_names.hpp"
#include "tools/kevolve/dispatch/regions.hpp"

#include <string>
#include <vector>

namespace kevolve::dispatch {

// A source in the file, with its text as it was judged.
struct source_part {
  std::string label; // part of its names in the file: "reference", "node7"
  std::string about; // description for people
  std::string text;
  c_names names;
};

// Reads a source. errc::unsupported, with the reason: its names cannot be kept apart from others'.
result<source_part> read_part(std::string label, std::string about, std::string text, const std::string& entry);

// Returns a part's name as it is called in the file.
std::string name_in(const source_part& part, const std::string& name);

// Returns the file's text without kernels that no region uses. The preprocessor renames around each part, so that its
// text stays as judged; its macros end with the part.
std::string dispatcher_source(const contract& task, const source_part& reference,
                              const std::vector<source_part>& kernels, const regions& r);

} // namespace kevolve::dispatch
