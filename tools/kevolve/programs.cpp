#include "tools/kevolve/programs.hpp"

#include <filesystem>

namespace kevolve {

std::string program_directory() {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/exe", ec).parent_path().string();
}

} // namespace kevolve
