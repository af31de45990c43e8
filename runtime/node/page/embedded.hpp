// The web page's files, embedded into this program by the build.
#pragma once

#include <span>
#include <string_view>

namespace kevolve {

struct page_file {
  std::string_view name; // "app.js"
  std::string_view content_type;
  std::string_view bytes;
};

// Returns the files, index.html first. They live as long as the program.
std::span<const page_file> page_files();

} // namespace kevolve
