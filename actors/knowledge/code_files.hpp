// Reading of source trees without following links. The lowest layer of code search.
#pragma once

#include "actors/knowledge/code_search.hpp"

#include <functional>
#include <optional>
#include <string>

namespace kevolve::knowledge {

// Opens an absolute folder; -1: it is none.
int open_root(const std::string& folder);

// Returns the bytes of a file below a root, opened one folder after the other: a link or ".." anywhere in the path
// gives nothing, as do a file larger than `most`, a binary one, and one whose name is that of a secret.
std::optional<std::string> read_below(int root, const std::string& file, int64_t most);

// Returns true for names of files that hold keys: ".env", "id_rsa", "*.pem".
bool is_secret_name(const std::string& name);

// Calls `visit` with the path of each file below the root, sorted, until it returns false. Hidden folders and links are
// left out.
void walk(const std::string& folder, const std::function<bool(const std::string&)>& visit);

} // namespace kevolve::knowledge
