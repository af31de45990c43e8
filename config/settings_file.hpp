// A file of settings as it was read, with the overrides of the command line in it.
#pragma once

#include "config/document.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct settings_file {
  std::string text; // as it stands in the file
  document_value root;
  std::vector<diagnostic> bad_overrides; // those that could not be applied
};

// Reads and parses a file, and applies "key=value" as given to --set. Fails if it cannot be read or is no TOML.
result_or_errors<settings_file> read_settings_file(const std::string& path, const std::vector<std::string>& overrides);

} // namespace kevolve
