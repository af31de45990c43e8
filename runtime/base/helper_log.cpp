#include "runtime/base/helper_log.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

namespace kevolve {

uint64_t log_size(const std::string& log_path) {
  struct stat about = {};
  return !log_path.empty() && ::stat(log_path.c_str(), &about) == 0 ? static_cast<uint64_t>(about.st_size) : 0;
}

std::string last_line(const std::string& log_path, uint64_t from) {
  constexpr uint64_t most = 4'096;
  const auto size = log_size(log_path);
  if (size <= from)
    return {};
  std::ifstream in{log_path, std::ios::binary};
  in.seekg(static_cast<std::streamoff>(std::max(from, size > most ? size - most : uint64_t{0})));
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      out = std::move(line);
  return out;
}

} // namespace kevolve
