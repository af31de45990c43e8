#include "runtime/base/program_directory.hpp"

#include <array>
#include <filesystem>

namespace kevolve {

namespace fs = std::filesystem;

namespace {

bool holds_a_helper(const fs::path& folder) {
  constexpr std::array names{"kevolve-zygote", "kevolve-judge", "kevolve-compile-server"};
  std::error_code ec;
  for (const auto* name : names)
    if (fs::exists(folder / name, ec))
      return true;
  return false;
}

} // namespace

std::string program_directory() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec).parent_path().string();
}

std::string helper_directory_of(const std::string& program_folder) {
  std::error_code ec;
  const auto installed = (fs::path{program_folder} / KEVOLVE_HELPERS_FROM_PROGRAMS).lexically_normal();
  return !holds_a_helper(program_folder) && fs::is_directory(installed, ec) ? installed.string() : program_folder;
}

std::string helper_directory() {
  return helper_directory_of(program_directory());
}

} // namespace kevolve
