// The web page's files, as the build put them into this program.
#pragma once

#include <span>
#include <string_view>

namespace kevolve {

struct page_file {
  std::string_view name; // "app.js"
  std::string_view content_type;
  std::string_view bytes;
};

// index.html first. Lives as long as the program.
std::span<const page_file> page_files();

} // namespace kevolve
