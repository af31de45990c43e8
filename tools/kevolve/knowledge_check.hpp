// The checks of a document that need tools: its examples compile, and the code that it names is there.
#pragma once

#include "config/diagnostic.hpp"
#include "runtime/base/result.hpp"

#include <set>
#include <string>
#include <vector>

namespace kevolve {

struct document_findings {
  std::vector<diagnostic> errors;
  size_t documents = 0;        // without an error of their format
  size_t examples = 0;         // compiled
  size_t references = 0;       // resolved
  std::set<std::string> notes; // what could not be checked here, and why
};

// Checks these files, or without one every document that a node with these folders serves. `roots` are the trees in
// which references are resolved. errc::bad_input: a root is no folder.
result<document_findings> examine_documents(const std::vector<std::string>& files,
                                            const std::vector<std::string>& folders,
                                            const std::vector<std::string>& roots);

} // namespace kevolve
